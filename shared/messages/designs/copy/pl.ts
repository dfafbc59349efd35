import type { DesignCopy } from './copy.ts'

export const pl: DesignCopy = {
  greeting: 'Witaj {customer|ponownie},',
  back: 'Wróć do koszyka',
  inYourCart: 'W Twoim koszyku',
  yourCode: 'Twój kod',
  offer: 'Dla Twojego koszyka: {offer}',
  shipping: 'Dostawa',
  returns: 'Zwroty',
  questions: 'Pytania',
  quiet: {
    first: {
      subject: 'Twój koszyk w sklepie {store}',
      preview: 'Jest zapisany i czeka bez zmian.',
      heading: 'Wciąż o tym myślisz?',
      text: 'Twój koszyk jest zapisany, dokładnie taki jak był.',
    },
    second: {
      subject: 'Masz pytania o swój koszyk w sklepie {store}?',
      preview: 'Zapytaj nas, zanim się zdecydujesz.',
      heading: 'Co chcesz wiedzieć?',
      text: 'Szczegóły, dostawa, zwrot: po prostu odpowiedz na tę wiadomość. Chętnie pomożemy.',
    },
    last: {
      subject: 'Rabat {saving} na Twój koszyk w sklepie {store}',
      preview: 'To nasza ostatnia wiadomość o Twoim koszyku.',
      saving: 'Rabat {saving} na Twój koszyk',
      text: 'To nasza ostatnia wiadomość o Twoim koszyku. Rabat jest naszym podziękowaniem.',
      plainHeading: 'Jeszcze jedno spojrzenie?',
      plainText: 'To nasza ostatnia wiadomość o Twoim koszyku. Jeśli nadal Ci się podoba, wystarczy jedno kliknięcie.',
    },
  },
  warm: {
    first: {
      subject: 'Twój koszyk w sklepie {store} jest zapisany',
      preview: 'Możesz wrócić w dowolnej chwili.',
      heading: 'Zapisane dla Ciebie',
      text: 'Witaj {customer|ponownie}, w Twoim koszyku czeka coś pięknego. Wszystko jest na swoim miejscu.',
    },
    second: {
      subject: 'Pomóc Ci w wyborze?',
      preview: 'Po prostu odpowiedz na tę wiadomość.',
      heading: 'Pomóc Ci w wyborze?',
      text: 'Witaj {customer|ponownie}, dobry wybór wymaga chwili. Jeśli coś jest niejasne, po prostu odpowiedz na tę wiadomość. Chętnie pomożemy.',
    },
    last: {
      subject: 'Rabat {saving} z podziękowaniem dla Ciebie',
      preview: 'Małe podziękowanie od sklepu {store}.',
      saving: 'Rabat {saving}, od nas dla Ciebie',
      text: 'Witaj {customer|ponownie}, to nasza ostatnia wiadomość o Twoim koszyku i nie chcieliśmy przychodzić z pustymi rękami.',
      plainHeading: 'Ostatnie słowo od nas',
      plainText:
        'Witaj {customer|ponownie}, to nasza ostatnia wiadomość o Twoim koszyku. Jeśli nadal Ci się podoba, wystarczy jedno kliknięcie. Jeśli nie, dziękujemy za wizytę.',
    },
  },
  bold: {
    first: {
      subject: 'Najlepsze zostało w koszyku',
      preview: 'Twój koszyk w sklepie {store} jest zapisany.',
      heading: 'Najlepsze\nwciąż czeka',
      text: 'Twój koszyk w sklepie {store} jest zapisany. Wróć i dokończ zakupy.',
    },
    second: {
      subject: 'Pytania? Śmiało',
      preview: 'Po prostu odpowiedz na tę wiadomość.',
      heading: 'Pytania?\nŚmiało',
      text: 'Nadal nie masz pewności? Odpowiedz na tę wiadomość, a wspólnie to wyjaśnimy.',
    },
    last: {
      subject: 'Rabat {saving} w sklepie {store}',
      preview: 'To nasza ostatnia wiadomość o Twoim koszyku.',
      saving: 'Rabat\n{saving}',
      text: 'To nasza ostatnia wiadomość o Twoim koszyku. Chcieliśmy, żeby była dobra.',
      plainHeading: 'Ostatnie\nprzypomnienie',
      plainText: 'To nasza ostatnia wiadomość o Twoim koszyku. Nadal masz ochotę? Wystarczy jedno kliknięcie.',
    },
  },
  letter: {
    first: {
      subject: 'Twój koszyk w sklepie {store}',
      preview: 'Krótka wiadomość od nas.',
      text: 'Twoje zamówienie w sklepie {store} nie zostało dokończone. Koszyk jest zapisany, więc możesz wrócić do niego w każdej chwili.',
      close: 'Coś poszło nie tak przy płatności albo masz pytanie? Po prostu odpowiedz na tę wiadomość.',
      sign: 'Serdecznie pozdrawiamy\n{store}',
    },
    second: {
      subject: 'Jeszcze się zastanawiasz?',
      preview: 'Nie ma pośpiechu. Twój koszyk jest zapisany.',
      text: 'Jeszcze się zastanawiasz? Nie ma sprawy. Twój koszyk w sklepie {store} jest zapisany.',
      close: 'Jeśli coś jest jeszcze niejasne, odpowiedz na tę wiadomość. Po to jesteśmy.',
      sign: 'Serdecznie pozdrawiamy\n{store}',
    },
    last: {
      subject: 'Rabat {saving} na Twój koszyk w sklepie {store}',
      preview: 'To nasza ostatnia wiadomość o Twoim koszyku.',
      saving: 'Rabat {saving} na Twój koszyk',
      text: 'To nasza ostatnia wiadomość o Twoim koszyku, a w niej kod dla Ciebie.',
      plainText: 'To nasza ostatnia wiadomość o Twoim koszyku. Jeśli nadal Ci się podoba, wystarczy jedno kliknięcie.',
      close: 'Jeśli to już nieaktualne, nie musisz nic robić. Czy mogliśmy zrobić coś lepiej? Chętnie się dowiemy.',
      sign: 'Dziękujemy za wizytę\n{store}',
    },
  },
}
