// SPDX-License-Identifier: Apache-2.0
// Stores measurements in the workspace under their candidates, and reads them back.
#pragma once
#include <vector>
#include "measure/subject.h"
#include "profile/measurement_record.h"

namespace ww::measure {

struct MeasurementIds {
  static constexpr std::string_view described_as = "KEPT";
  std::int64_t measurement = 0, candidate = 0, run = 0;  // the latter two 0: of baselines alone
  template <class V>
  static void fields(V&& v) {
    v("measurement", &MeasurementIds::measurement, "number in the workspace");
    v("candidate", &MeasurementIds::candidate, {"null: of baselines alone", Presence::nullable});
    v("run", &MeasurementIds::run, Presence::nullable);
  }
};
// Stores it under each of `subjects`, or under the op alone where there are none. Candidates that the workspace does
// not hold are added as a run of their own: generator "manual", not judged, with the note "ORIGIN: LABEL".
Result<std::vector<MeasurementIds>> keep(store::Workspace& workspace, const Case& what,
                                         const std::vector<Subject>& subjects, const profile::Measurement& measurement,
                                         const std::string& origin);

struct KeptMeasurement {
  store::MeasurementRecord record;  // without its text
  profile::Measurement measurement;
};
// Measurements of one candidate, or with 0 of the whole workspace; newest first. What cannot be read is left out.
Result<std::vector<KeptMeasurement>> measurements_of(store::Workspace& workspace, std::int64_t candidate);

}  // namespace ww::measure
