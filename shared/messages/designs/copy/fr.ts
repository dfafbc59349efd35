import type { DesignCopy } from './copy.ts'

export const fr: DesignCopy = {
  greeting: 'Bonjour {customer|à vous},',
  back: 'Revenir à mon panier',
  inYourCart: 'Dans votre panier',
  yourCode: 'Votre code',
  offer: 'Pour votre panier : {offer}',
  shipping: 'Livraison',
  returns: 'Retours',
  questions: 'Questions',
  quiet: {
    first: {
      subject: 'Votre panier chez {store}',
      preview: 'Il vous attend, tel que vous l’avez laissé.',
      heading: 'Vous y pensez encore ?',
      text: 'Nous avons enregistré votre panier, tel que vous l’avez laissé.',
    },
    second: {
      subject: 'Une question sur votre panier chez {store} ?',
      preview: 'Demandez-nous avant de vous décider.',
      heading: 'Que souhaitez-vous savoir ?',
      text: 'Un détail, la livraison, un retour : répondez simplement à cet e-mail. Nous vous aiderons avec plaisir.',
    },
    last: {
      subject: '{saving} de réduction sur votre panier chez {store}',
      preview: 'C’est notre dernier e-mail au sujet de votre panier.',
      saving: '{saving} de réduction sur votre panier',
      text: 'C’est notre dernier e-mail au sujet de votre panier. Cette réduction est notre façon de vous remercier.',
      plainHeading: 'Un dernier regard ?',
      plainText:
        'C’est notre dernier e-mail au sujet de votre panier. S’il vous plaît toujours, il n’est qu’à un clic.',
    },
  },
  warm: {
    first: {
      subject: 'Votre panier chez {store} est enregistré',
      preview: 'Reprenez là où vous en étiez.',
      heading: 'Gardé pour vous',
      text: 'Bonjour {customer|à vous}, vous aviez choisi de belles choses. Votre panier est toujours là.',
    },
    second: {
      subject: 'Pouvons-nous vous aider à choisir ?',
      preview: 'Répondez simplement à cet e-mail.',
      heading: 'Pouvons-nous vous aider ?',
      text: 'Bonjour {customer|à vous}, bien choisir demande un peu de temps. Si quelque chose n’est pas clair, répondez à cet e-mail. Nous vous aiderons avec plaisir.',
    },
    last: {
      subject: '{saving} de réduction, avec tous nos remerciements',
      preview: 'Un petit merci de la part de {store}.',
      saving: '{saving} de réduction, de nous à vous',
      text: 'Bonjour {customer|à vous}, c’est notre dernier mot au sujet de votre panier, et nous ne voulions pas venir les mains vides.',
      plainHeading: 'Un dernier bonjour',
      plainText:
        'Bonjour {customer|à vous}, c’est notre dernier mot au sujet de votre panier. S’il vous plaît toujours, il n’est qu’à un clic. Sinon, merci de votre visite.',
    },
  },
  bold: {
    first: {
      subject: 'Vous avez oublié le meilleur',
      preview: 'Votre panier chez {store} est enregistré.',
      heading: 'Vous oubliez\nle meilleur',
      text: 'Votre panier chez {store} est enregistré. Reprenez là où vous en étiez.',
    },
    second: {
      subject: 'Des questions ? Parlons-en',
      preview: 'Répondez simplement à cet e-mail.',
      heading: 'Questions ?\nParlons-en',
      text: 'Encore un doute ? Répondez à cet e-mail, et nous trouverons ensemble.',
    },
    last: {
      subject: '{saving} de réduction chez {store}',
      preview: 'C’est notre dernier e-mail au sujet de votre panier.',
      saving: '{saving}\nde réduction',
      text: 'C’est notre dernier e-mail au sujet de votre panier. Autant qu’il soit bon.',
      plainHeading: 'Un dernier\nrappel',
      plainText: 'C’est notre dernier e-mail au sujet de votre panier. Toujours envie ? Il n’est qu’à un clic.',
    },
  },
  letter: {
    first: {
      subject: 'Votre panier chez {store}',
      preview: 'Un petit mot de notre part.',
      text: 'Vous étiez sur le point de commander chez {store} sans aller jusqu’au bout. Votre panier est enregistré : vous pouvez reprendre où vous en étiez.',
      close: 'Un souci au moment de payer, ou une question ? Répondez simplement à cet e-mail.',
      sign: 'Bien à vous,\n{store}',
    },
    second: {
      subject: 'Encore en train d’y réfléchir ?',
      preview: 'Prenez votre temps. Votre panier est enregistré.',
      text: 'Vous y réfléchissez encore ? Prenez votre temps. Votre panier chez {store} est enregistré.',
      close: 'S’il vous reste une question, répondez à cet e-mail. Nous sommes là pour cela.',
      sign: 'Bien à vous,\n{store}',
    },
    last: {
      subject: '{saving} de réduction sur votre panier chez {store}',
      preview: 'C’est notre dernier e-mail au sujet de votre panier.',
      saving: '{saving} de réduction sur votre panier',
      text: 'C’est notre dernier e-mail au sujet de votre panier, et il vous apporte un code.',
      plainText:
        'C’est notre dernier e-mail au sujet de votre panier. S’il vous plaît toujours, il n’est qu’à un clic.',
      close:
        'Si vous avez changé d’avis, vous n’avez rien à faire. Aurions-nous pu faire mieux ? Dites-le-nous, nous serions heureux de le savoir.',
      sign: 'Merci de votre visite,\n{store}',
    },
  },
}
