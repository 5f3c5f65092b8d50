// SPDX-License-Identifier: Apache-2.0
#include "oracle/oracle.h"
