import type { DesignCopy } from './copy.ts'

export const de: DesignCopy = {
  greeting: 'Hallo {customer|und willkommen zurück},',
  back: 'Zurück zum Warenkorb',
  inYourCart: 'In deinem Warenkorb',
  yourCode: 'Dein Code',
  offer: 'Für deinen Warenkorb: {offer}',
  shipping: 'Versand',
  returns: 'Rückgabe',
  questions: 'Fragen',
  quiet: {
    first: {
      subject: 'Dein Warenkorb bei {store}',
      preview: 'Er ist noch genau so, wie du ihn verlassen hast.',
      heading: 'Noch im Kopf?',
      text: 'Dein Warenkorb ist gespeichert, genau so, wie du ihn verlassen hast.',
    },
    second: {
      subject: 'Fragen zu deinem Warenkorb bei {store}?',
      preview: 'Frag uns, bevor du dich entscheidest.',
      heading: 'Was möchtest du wissen?',
      text: 'Ein Detail, die Lieferung, die Rückgabe: Antworte einfach auf diese E-Mail. Wir helfen dir gern.',
    },
    last: {
      subject: '{saving} Rabatt auf deinen Warenkorb bei {store}',
      preview: 'Das ist unsere letzte E-Mail zu deinem Warenkorb.',
      saving: '{saving} Rabatt auf deinen Warenkorb',
      text: 'Das ist unsere letzte E-Mail zu deinem Warenkorb. Dieser Gutschein ist unser Dankeschön.',
      plainHeading: 'Ein letzter Blick?',
      plainText:
        'Das ist unsere letzte E-Mail zu deinem Warenkorb. Wenn du ihn noch möchtest, ist er nur einen Klick entfernt.',
    },
  },
  warm: {
    first: {
      subject: 'Dein Warenkorb bei {store} ist gespeichert',
      preview: 'Mach da weiter, wo du aufgehört hast.',
      heading: 'Für dich gespeichert',
      text: 'Hallo {customer|und willkommen zurück}, du hast etwas Schönes ausgesucht. Es ist noch alles da.',
    },
    second: {
      subject: 'Können wir dir bei der Wahl helfen?',
      preview: 'Antworte einfach auf diese E-Mail.',
      heading: 'Können wir dir helfen?',
      text: 'Hallo {customer|und willkommen zurück}, gut auswählen braucht einen Moment. Wenn etwas unklar ist, antworte einfach auf diese E-Mail. Wir helfen dir gern.',
    },
    last: {
      subject: '{saving} Rabatt für dich, als kleines Dankeschön',
      preview: 'Ein kleines Dankeschön von {store}.',
      saving: '{saving} Rabatt, von uns für dich',
      text: 'Hallo {customer|und willkommen zurück}, das ist unsere letzte Nachricht zu deinem Warenkorb, und wir wollten nicht mit leeren Händen kommen.',
      plainHeading: 'Ein letzter Gruß',
      plainText:
        'Hallo {customer|und willkommen zurück}, das ist unsere letzte Nachricht zu deinem Warenkorb. Wenn du ihn noch möchtest, ist er einen Klick entfernt. Wenn nicht: danke, dass du da warst.',
    },
  },
  bold: {
    first: {
      subject: 'Da fehlt noch was',
      preview: 'Dein Warenkorb bei {store} ist gespeichert.',
      heading: 'Da fehlt\nnoch was',
      text: 'Dein Warenkorb bei {store} ist gespeichert. Mach da weiter, wo du aufgehört hast.',
    },
    second: {
      subject: 'Fragen? Frag uns',
      preview: 'Antworte einfach auf diese E-Mail.',
      heading: 'Fragen?\nFrag uns',
      text: 'Noch unsicher? Antworte auf diese E-Mail, und wir klären das gemeinsam.',
    },
    last: {
      subject: 'Du sparst {saving} bei {store}',
      preview: 'Das ist unsere letzte E-Mail zu deinem Warenkorb.',
      saving: 'Du sparst\n{saving}',
      text: 'Das ist unsere letzte E-Mail zu deinem Warenkorb. Dafür ist sie besonders gut.',
      plainHeading: 'Ein letztes\nMal',
      plainText:
        'Das ist unsere letzte E-Mail zu deinem Warenkorb. Noch Lust darauf? Du bist nur einen Klick entfernt.',
    },
  },
  letter: {
    first: {
      subject: 'Dein Warenkorb bei {store}',
      preview: 'Eine kurze Nachricht von uns.',
      text: 'du wolltest bei {store} bestellen und bist nicht ganz fertig geworden. Dein Warenkorb ist gespeichert, du kannst also einfach weitermachen.',
      close: 'Ist beim Bezahlen etwas schiefgegangen, oder hast du eine Frage? Antworte einfach auf diese E-Mail.',
      sign: 'Herzliche Grüße\n{store}',
    },
    second: {
      subject: 'Noch am Überlegen?',
      preview: 'Lass dir Zeit. Dein Warenkorb ist gespeichert.',
      text: 'noch am Überlegen? Kein Problem. Dein Warenkorb bei {store} ist gespeichert.',
      close: 'Wenn noch etwas offen ist, antworte einfach auf diese E-Mail. Dafür sind wir da.',
      sign: 'Herzliche Grüße\n{store}',
    },
    last: {
      subject: '{saving} Rabatt auf deinen Warenkorb bei {store}',
      preview: 'Das ist unsere letzte E-Mail zu deinem Warenkorb.',
      saving: '{saving} Rabatt auf deinen Warenkorb',
      text: 'das ist unsere letzte E-Mail zu deinem Warenkorb, und sie bringt dir einen Gutschein mit.',
      plainText:
        'das ist unsere letzte E-Mail zu deinem Warenkorb. Wenn du ihn noch möchtest, ist er nur einen Klick entfernt.',
      close:
        'Wenn du es dir anders überlegt hast, musst du nichts tun. Hätten wir etwas besser machen können? Schreib es uns gern.',
      sign: 'Danke für deinen Besuch\n{store}',
    },
  },
}
