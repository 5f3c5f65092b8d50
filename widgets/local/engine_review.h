// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "local/engine_models.h"

namespace ww::widgets {

class EngineReview : public EngineModels {  // the part of the local engine that speaks of what people decide
 public:
  Result<std::shared_ptr<const ReviewView>> review_of(store::Workspace& workspace, std::int64_t candidate) override;
  std::string review_refusal(const ReviewView& view, const ReviewAnswers& answers) override;
  Result<std::int64_t> add_note(store::Workspace& workspace, std::int64_t candidate, int line, const std::string& text,
                                const std::string& reviewer) override;
  Result<std::int64_t> request_changes(store::Workspace& workspace, std::int64_t candidate, const std::string& text,
                                       const std::string& reviewer) override;
  Result<std::int64_t> reject(store::Workspace& workspace, std::int64_t candidate, const std::string& reason,
                              const std::string& reviewer) override;
  Result<std::int64_t> accept(store::Workspace& workspace, std::int64_t candidate, const std::string& reviewer,
                              const ReviewAnswers& answers) override;
  Result<std::int64_t> withdraw_review(store::Workspace& workspace, std::int64_t candidate, std::int64_t row,
                                       const std::string& reviewer) override;
  Result<std::string> countersign(store::Workspace& workspace, const std::string& receipt,
                                  const std::string& reviewer) override;
  Result<std::shared_ptr<const ReceiptView>> read_receipt(store::Workspace& workspace,
                                                          const std::string& receipt) override;
};

}  // namespace ww::widgets
