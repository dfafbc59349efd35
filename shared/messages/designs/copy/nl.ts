import type { DesignCopy } from './copy.ts'

export const nl: DesignCopy = {
  greeting: 'Hallo {customer|daar},',
  back: 'Terug naar mijn winkelwagen',
  inYourCart: 'In je winkelwagen',
  yourCode: 'Je code',
  offer: 'Voor je winkelwagen: {offer}',
  shipping: 'Verzending',
  returns: 'Retourneren',
  questions: 'Vragen',
  quiet: {
    first: {
      subject: 'Je winkelwagen bij {store}',
      preview: 'Bewaard, precies zoals je hem achterliet.',
      heading: 'Nog in gedachten?',
      text: 'We hebben je winkelwagen bewaard, precies zoals je hem achterliet.',
    },
    second: {
      subject: 'Vragen over je winkelwagen bij {store}?',
      preview: 'Vraag het ons voordat je beslist.',
      heading: 'Wat wil je graag weten?',
      text: 'Een detail, de levering, een retour: beantwoord gewoon deze e-mail. We helpen je graag.',
    },
    last: {
      subject: 'Bespaar {saving} op je winkelwagen bij {store}',
      preview: 'Dit is onze laatste e-mail over je winkelwagen.',
      saving: 'Bespaar {saving} op je winkelwagen',
      text: 'Dit is onze laatste e-mail over je winkelwagen. De korting is ons bedankje.',
      plainHeading: 'Nog één keer kijken?',
      plainText:
        'Dit is onze laatste e-mail over je winkelwagen. Als je hem nog wilt, is hij één klik van je verwijderd.',
    },
  },
  warm: {
    first: {
      subject: 'Je winkelwagen bij {store} is bewaard',
      preview: 'Ga verder waar je was gebleven.',
      heading: 'Voor je bewaard',
      text: 'Hallo {customer|daar}, je had iets moois uitgekozen. Je winkelwagen staat er nog.',
    },
    second: {
      subject: 'Kunnen we je helpen kiezen?',
      preview: 'Beantwoord gewoon deze e-mail.',
      heading: 'Kunnen we je helpen kiezen?',
      text: 'Hallo {customer|daar}, goed kiezen kost even tijd. Is er iets onduidelijk, beantwoord dan gewoon deze e-mail. We helpen je graag.',
    },
    last: {
      subject: '{saving} korting, als klein bedankje',
      preview: 'Een klein bedankje van {store}.',
      saving: '{saving} korting, van ons voor jou',
      text: 'Hallo {customer|daar}, dit is ons laatste bericht over je winkelwagen, en we wilden niet met lege handen komen.',
      plainHeading: 'Nog één groet',
      plainText:
        'Hallo {customer|daar}, dit is ons laatste bericht over je winkelwagen. Wil je hem nog, dan is hij één klik van je verwijderd. Zo niet: bedankt voor je bezoek.',
    },
  },
  bold: {
    first: {
      subject: 'Je vergat het beste',
      preview: 'Je winkelwagen bij {store} is bewaard.',
      heading: 'Je vergat\nhet beste',
      text: 'Je winkelwagen bij {store} is bewaard. Ga verder waar je was gebleven.',
    },
    second: {
      subject: 'Vragen? Stel ze',
      preview: 'Beantwoord gewoon deze e-mail.',
      heading: 'Vragen?\nStel ze',
      text: 'Nog niet zeker? Beantwoord deze e-mail, dan komen we er samen uit.',
    },
    last: {
      subject: 'Bespaar {saving} bij {store}',
      preview: 'Dit is onze laatste e-mail over je winkelwagen.',
      saving: 'Bespaar\n{saving}',
      text: 'Dit is onze laatste e-mail over je winkelwagen. Dan mag het wel een goede zijn.',
      plainHeading: 'Nog één\nherinnering',
      plainText: 'Dit is onze laatste e-mail over je winkelwagen. Nog zin in? Eén klik en je bent er.',
    },
  },
  letter: {
    first: {
      subject: 'Je winkelwagen bij {store}',
      preview: 'Een kort bericht van ons.',
      text: 'Je wilde iets bestellen bij {store}, maar rondde het niet af. We hebben je winkelwagen bewaard, dus je kunt verder waar je was gebleven.',
      close: 'Ging er iets mis bij het betalen, of heb je een vraag? Beantwoord gewoon deze e-mail.',
      sign: 'Hartelijke groet,\n{store}',
    },
    second: {
      subject: 'Denk je er nog over na?',
      preview: 'Neem je tijd. Je winkelwagen is bewaard.',
      text: 'Denk je er nog over na? Neem gerust je tijd. Je winkelwagen bij {store} is bewaard.',
      close: 'Is er nog iets onduidelijk, beantwoord dan deze e-mail. Daar zijn we voor.',
      sign: 'Hartelijke groet,\n{store}',
    },
    last: {
      subject: 'Bespaar {saving} op je winkelwagen bij {store}',
      preview: 'Dit is onze laatste e-mail over je winkelwagen.',
      saving: 'Bespaar {saving} op je winkelwagen',
      text: 'Dit is onze laatste e-mail over je winkelwagen, met een code voor jou.',
      plainText:
        'Dit is onze laatste e-mail over je winkelwagen. Als je hem nog wilt, is hij één klik van je verwijderd.',
      close: 'Heb je je bedacht, dan hoef je niets te doen. Hadden we iets beter kunnen doen? We horen het graag.',
      sign: 'Bedankt voor je bezoek,\n{store}',
    },
  },
}
