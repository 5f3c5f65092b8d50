// SPDX-License-Identifier: Apache-2.0
// Stores measurements in the workspace under their candidates, and reads them back.
#pragma once
#include <vector>
#include "base/describe.h"
#include "measure/subject.h"
#include "profile/measurement_record.h"

namespace ww::measure {

struct MeasurementIds {
  static constexpr std::string_view described_as = "KEPT";
  std::int64_t measurement = 0, candidate = 0, run = 0;  // the latter two 0: baselines only
  WW_FIELDS(MeasurementIds, (measurement, "number in the workspace"), (candidate, "null: of baselines alone", nullable),
            (run, nullable))
};
// Stores it under each of `subjects`, or under the op if there are none. Candidates that are not in the workspace are
// added as a separate run: generator "manual", not judged, with the note "ORIGIN: LABEL".
Result<std::vector<MeasurementIds>> keep(store::Workspace& workspace, const Case& what,
                                         const std::vector<Subject>& subjects, const profile::Measurement& measurement,
                                         const std::string& origin);

struct KeptMeasurement {
  store::MeasurementRecord record;  // without its text
  profile::Measurement measurement;
};
// Measurements of one candidate, or with 0 of the whole workspace; newest first. Unreadable ones are left out.
Result<std::vector<KeptMeasurement>> measurements_of(store::Workspace& workspace, std::int64_t candidate);

}  // namespace ww::measure
