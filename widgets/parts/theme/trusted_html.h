// SPDX-License-Identifier: GPL-3.0-or-later
// Rich text of our own. It consists of literals in the program and of texts, which it escapes: there is no other way to
// make one, so outside text never becomes markup, an image or a link.
#pragma once
#include <QString>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>

namespace ww::widgets {

class TrustedHtml {
 public:
  struct Markup {  // only literals convert to it
    template <std::size_t n>
    consteval Markup(const char (&literal)[n]) : text(literal) {}
    const char* text;
  };
  TrustedHtml() = default;
  // The theme's colour, for an attribute: HtmlView fills it in, again for another theme.
  static TrustedHtml ink(Markup token);
  static QString with_inks(const TrustedHtml& html, const std::function<QString(const QString& token)>& colour);
  const QString& string() const { return html_; }
  bool empty() const { return html_.isEmpty(); }
  TrustedHtml& operator+=(const TrustedHtml& more) {
    html_ += more.html_;
    return *this;
  }
  bool operator==(const TrustedHtml&) const = default;

 private:
  struct Part {
    Part(const TrustedHtml& html) : html(html.html_) {}
    Part(const QString& text) : html(escaped(text)) {}
    Part(const std::string& text);
    Part(std::integral auto number) : html(QString::number(number)) {}
    QString html;
  };
  static QString escaped(const QString& text);  // and harmless (text.h); a line feed becomes a line break
  static TrustedHtml filled(const QString& form, std::initializer_list<Part> parts);
  template <class... Parts>
  friend TrustedHtml html(Markup, const Parts&...);
  template <class... Parts>
  friend TrustedHtml text_html(const QString&, const Parts&...);
  QString html_;
};

// Markup with %1 to %9 for parts: rich text is inserted unchanged, strings are escaped; also numbers.
template <class... Parts>
TrustedHtml html(TrustedHtml::Markup form, const Parts&... parts) {
  return TrustedHtml::filled(QString::fromUtf8(form.text), {TrustedHtml::Part(parts)...});
}
// A text, escaped; a translated sentence with %1 to %9 for parts.
template <class... Parts>
TrustedHtml text_html(const QString& text, const Parts&... parts) {
  return TrustedHtml::filled(TrustedHtml::escaped(text), {TrustedHtml::Part(parts)...});
}

}  // namespace ww::widgets
