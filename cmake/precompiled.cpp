// SPDX-License-Identifier: Apache-2.0
// Empty; exists only to build the precompiled header.
