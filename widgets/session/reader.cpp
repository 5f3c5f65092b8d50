// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/reader.h"
#include "op/evaluate.h"
#include "op/sentence/spec_sentence.h"
#include "op/transform.h"
#include "parts/theme/text.h"
#include "strategy/strategy.h"

namespace ww::widgets {

void Reader::load_ops() {
  ops_.submit([this, language = services_.language]() -> LatestJob::Deliver {
    auto ops = language->ops();
    std::vector<OpSummary> list;
    QString error;
    if (ops)
      list = std::move(*ops);
    else
      error = qs(ops.error().text());
    return [this, list = std::move(list), error] { emit ops_loaded(list, error); };
  });
}

void Reader::load_choices() {
  choices_.submit([this, runs = services_.runs]() -> LatestJob::Deliver {
    auto generators = runs->generators();
    auto devices = runs->devices();
    return [this, generators = std::move(generators), devices = std::move(devices)] {
      emit choices_loaded(generators, devices);
    };
  });
}

void Reader::load_models(bool ask) {
  models_.submit([this, ask, service = services_.models]() -> LatestJob::Deliver {
    auto list = service->models(ask);
    std::vector<Choice> strategies;
    for (const auto& [name, about] : strategy::list_strategies()) strategies.push_back({name, name, {}, about});
    return [this, list = std::move(list), strategies = std::move(strategies)] { emit models_loaded(list, strategies); };
  });
}

void Reader::read_sentence(const QString& sentence) {
  sentence_.submit([this, language = services_.language, sentence]() -> LatestJob::Deliver {
    auto reading = std::make_shared<SentenceReading>();
    reading->sentence = sentence;
    auto understood = language->understand(sentence.toStdString());
    if (understood) {
      reading->understanding = std::move(*understood);
      if (const auto& spec = reading->understanding.spec) {
        reading->spec_text = exact(op::print(*spec));
        reading->said = qs(op::spec_sentence(*spec));
        reading->formula = qs(op::formula_of(*spec));
      }
    } else {
      reading->error = qs(understood.error().text());
    }
    return [this, reading] { emit sentence_read(reading); };
  });
}

void Reader::read_spec(const QString& text) {
  spec_.submit([this, text]() -> LatestJob::Deliver {
    auto reading = std::make_shared<SpecReading>();
    reading->text = text;
    if (!text.trimmed().isEmpty()) reading->outcome = op::parse(text.toStdString());
    if (reading->outcome.spec) reading->figures = figures_of(*reading->outcome.spec);
    return [this, reading] {
      emit spec_read(reading);
      if (!reading->outcome.spec) {
        example_.forget();
        emit example_made({}, {});
        return;
      }
      example_.submit([this, reading]() -> LatestJob::Deliver {
        auto example = op::worked_example(*reading->outcome.spec);
        const QString made = example ? qs(*example) : QString();
        const QString error = example ? QString() : qs(example.error().text());
        return [this, made, error] { emit example_made(made, error); };
      });
    };
  });
}

void Reader::fetch_op(const QString& name) {
  maker_.submit([this, language = services_.language, name]() -> LatestJob::Deliver {
    auto text = language->op_text(name.toStdString());
    const QString made = text ? exact(*text) : QString();
    const QString error = text ? QString() : qs(text.error().text());
    return [this, made, error] { emit spec_text_made(made, error); };
  });
}

void Reader::change_dtype(const op::Spec& spec, DType real) {
  maker_.submit([this, spec, real]() -> LatestJob::Deliver {
    const Result<op::Spec> text = op::with_dtype(spec, real);
    const QString made = text ? exact(op::print(*text)) : QString();
    const QString error = text ? QString() : qs(text.error().text());
    return [this, made, error] { emit spec_text_made(made, error); };
  });
}

}  // namespace ww::widgets
