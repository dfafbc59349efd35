import type { MailCopy } from './en.ts'

export const pl: MailCopy = {
  there: 'ponownie',
  returnToCart: 'Wróć do koszyka',
  visitShop: 'Przejdź do sklepu',
  viewProduct: 'Zobacz',
  total: 'Suma',
  subtotal: 'Suma częściowa',
  totalWithCoupon: 'Suma z kodem rabatowym',
  coupon: 'Kod rabatowy',
  soldOut: 'Wyprzedane',
  quantity: 'Liczba: {count}',
  moreItems:
    '{count, plural, one {i jeszcze # produkt} few {i jeszcze # produkty} many {i jeszcze # produktów} other {i jeszcze # produktu}}',
  amountOff: '{amount} taniej',
  aDiscount: 'rabat',
  freeShipping: 'Darmowa dostawa',
  youSave: 'Oszczędzasz {amount}',
  validUntil: 'Ważne do {date}',
  couponValidUntil: '(ważne do {date})',
  reasonCart: 'Otrzymujesz tę wiadomość, ponieważ w Twoim koszyku w sklepie {store} zostały produkty.',
  reasonPerson: 'Otrzymujesz tę wiadomość, ponieważ podano Twój adres e-mail w sklepie {store}.',
  unsubscribe: 'Wypisz się',
  preferences: 'Ustawienia wiadomości',
  subjectCart: 'Twój koszyk w sklepie {store}',
  subjectCoupon: 'Kod rabatowy dla Ciebie w sklepie {store}',
  subjectShop: 'Wiadomość od sklepu {store}',
}
