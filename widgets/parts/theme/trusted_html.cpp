// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/trusted_html.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {
constexpr QChar ink_begins = u'\x01', ink_ends = u'\x02';
}

QString TrustedHtml::escaped(const QString& text) {
  return harmless(text).toHtmlEscaped().replace('\'', "&#39;").replace('\n', "<br>");
}

TrustedHtml::Part::Part(const std::string& text) : html(escaped(exact(text))) {}

// Between two characters that no text has once it is harmless.
TrustedHtml TrustedHtml::ink(Markup token) {
  TrustedHtml made;
  made.html_ = ink_begins + QString::fromLatin1(token.text) + ink_ends;
  return made;
}

QString TrustedHtml::with_inks(const TrustedHtml& html, const std::function<QString(const QString& token)>& colour) {
  QString text = html.html_;
  for (qsizetype at = text.indexOf(ink_begins); at >= 0; at = text.indexOf(ink_begins, at)) {
    const qsizetype end = text.indexOf(ink_ends, at);
    text.replace(at, end - at + 1, colour(text.mid(at + 1, end - at - 1)));
  }
  return text;
}

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
