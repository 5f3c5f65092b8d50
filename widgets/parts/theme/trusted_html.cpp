// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/trusted_html.h"
#include "parts/theme/text.h"

namespace ww::widgets {

QString TrustedHtml::escaped(const QString& text) {
  return harmless(text).toHtmlEscaped().replace('\'', "&#39;").replace('\n', "<br>");
}

TrustedHtml::Part::Part(const std::string& text) : html(escaped(exact(text))) {}

TrustedHtml TrustedHtml::filled(const QString& form, std::initializer_list<Part> parts) {
  TrustedHtml made;
  if (parts.size() == 0) {
    made.html_ = form;
    return made;
  }
  for (qsizetype i = 0; i < form.size(); ++i) {
    const int part = form[i] == '%' && i + 1 < form.size() ? form[i + 1].digitValue() : -1;
    if (part < 1 || part > static_cast<int>(parts.size())) {
      made.html_ += form[i];
      continue;
    }
    made.html_ += parts.begin()[part - 1].html;
    ++i;
  }
  return made;
}

}  // namespace ww::widgets
