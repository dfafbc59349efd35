import type { DesignCopy } from './copy.ts'

export const it: DesignCopy = {
  greeting: 'Ciao {customer|di nuovo},',
  back: 'Torna al mio carrello',
  inYourCart: 'Nel tuo carrello',
  yourCode: 'Il tuo codice',
  offer: 'Per il tuo carrello: {offer}',
  shipping: 'Spedizione',
  returns: 'Resi',
  questions: 'Domande',
  quiet: {
    first: {
      subject: 'Il tuo carrello da {store}',
      preview: 'È salvato, proprio come lo hai lasciato.',
      heading: 'Ci stai ancora pensando?',
      text: 'Abbiamo salvato il tuo carrello, proprio come lo hai lasciato.',
    },
    second: {
      subject: 'Domande sul tuo carrello da {store}?',
      preview: 'Chiedi a noi prima di decidere.',
      heading: 'Che cosa vorresti sapere?',
      text: 'Un dettaglio, la spedizione, un reso: rispondi a questa email. Ti aiutiamo volentieri.',
    },
    last: {
      subject: 'Risparmia {saving} sul tuo carrello da {store}',
      preview: 'Questa è la nostra ultima email sul tuo carrello.',
      saving: 'Risparmia {saving} sul tuo carrello',
      text: 'Questa è la nostra ultima email sul tuo carrello. Lo sconto è il nostro modo di dirti grazie.',
      plainHeading: 'Un ultimo sguardo?',
      plainText: 'Questa è la nostra ultima email sul tuo carrello. Se ti piace ancora, è a un solo clic.',
    },
  },
  warm: {
    first: {
      subject: 'Il tuo carrello da {store} è salvato',
      preview: 'Riprendi da dove ti sei fermato.',
      heading: 'Salvato per te',
      text: 'Ciao {customer|di nuovo}, avevi scelto qualcosa di bello. Il tuo carrello è ancora qui.',
    },
    second: {
      subject: 'Ti aiutiamo a scegliere?',
      preview: 'Rispondi semplicemente a questa email.',
      heading: 'Ti aiutiamo a scegliere?',
      text: 'Ciao {customer|di nuovo}, scegliere bene richiede un momento. Se qualcosa non è chiaro, rispondi a questa email. Ti aiutiamo volentieri.',
    },
    last: {
      subject: '{saving} di sconto, con il nostro grazie',
      preview: 'Un piccolo grazie da {store}.',
      saving: '{saving} di sconto, da noi per te',
      text: 'Ciao {customer|di nuovo}, questo è il nostro ultimo messaggio sul tuo carrello, e non volevamo arrivare a mani vuote.',
      plainHeading: 'Un ultimo saluto',
      plainText:
        'Ciao {customer|di nuovo}, questo è il nostro ultimo messaggio sul tuo carrello. Se ti piace ancora, è a un clic. Altrimenti, grazie della visita.',
    },
  },
  bold: {
    first: {
      subject: 'Hai lasciato il meglio',
      preview: 'Il tuo carrello da {store} è salvato.',
      heading: 'Hai lasciato\nil meglio',
      text: 'Il tuo carrello da {store} è salvato. Riprendi da dove ti sei fermato.',
    },
    second: {
      subject: 'Domande? Scrivici',
      preview: 'Rispondi semplicemente a questa email.',
      heading: 'Domande?\nScrivici',
      text: 'Hai ancora qualche dubbio? Rispondi a questa email e lo risolviamo insieme.',
    },
    last: {
      subject: 'Risparmia {saving} da {store}',
      preview: 'Questa è la nostra ultima email sul tuo carrello.',
      saving: 'Risparmia\n{saving}',
      text: 'Questa è la nostra ultima email sul tuo carrello. Volevamo che fosse quella buona.',
      plainHeading: 'Un ultimo\npromemoria',
      plainText: 'Questa è la nostra ultima email sul tuo carrello. Ti va ancora? È a un clic.',
    },
  },
  letter: {
    first: {
      subject: 'Il tuo carrello da {store}',
      preview: 'Due righe da parte nostra.',
      text: 'stavi per ordinare da {store} e non hai finito. Il tuo carrello è salvato, così puoi riprendere da dove ti sei fermato.',
      close: 'Qualcosa è andato storto al momento di pagare, o hai una domanda? Rispondi a questa email.',
      sign: 'Un caro saluto,\n{store}',
    },
    second: {
      subject: 'Ci stai ancora pensando?',
      preview: 'Prenditi il tuo tempo. Il tuo carrello è salvato.',
      text: 'ci stai ancora pensando? Prenditi il tuo tempo. Il tuo carrello da {store} è salvato.',
      close: 'Se hai ancora qualche dubbio, rispondi a questa email. Siamo qui per questo.',
      sign: 'Un caro saluto,\n{store}',
    },
    last: {
      subject: 'Risparmia {saving} sul tuo carrello da {store}',
      preview: 'Questa è la nostra ultima email sul tuo carrello.',
      saving: 'Risparmia {saving} sul tuo carrello',
      text: 'questa è la nostra ultima email sul tuo carrello, e porta con sé un codice per te.',
      plainText: 'questa è la nostra ultima email sul tuo carrello. Se ti piace ancora, è a un solo clic.',
      close: 'Se hai cambiato idea, non devi fare nulla. Avremmo potuto fare meglio? Ci farebbe piacere saperlo.',
      sign: 'Grazie della visita,\n{store}',
    },
  },
}
