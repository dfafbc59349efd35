import type { MailCopy } from './en.ts'

// Read in Portugal and in Brazil.

export const pt: MailCopy = {
  there: 'de novo',
  returnToCart: 'Voltar ao carrinho',
  visitShop: 'Ir para a loja',
  viewProduct: 'Ver',
  total: 'Total',
  subtotal: 'Subtotal',
  totalWithCoupon: 'Total com desconto',
  coupon: 'Código de desconto',
  soldOut: 'Esgotado',
  quantity: 'Quantidade: {count}',
  moreItems: '{count, plural, one {e mais # item} other {e mais # itens}}',
  amountOff: '{amount} de desconto',
  aDiscount: 'um desconto',
  freeShipping: 'Envio grátis',
  youSave: 'Economia de {amount}',
  validUntil: 'Válido até {date}',
  couponValidUntil: '(válido até {date})',
  reasonCart: 'Este e-mail foi enviado porque ficaram itens no seu carrinho em {store}.',
  reasonPerson: 'Este e-mail foi enviado porque o seu endereço de e-mail foi dado a {store}.',
  unsubscribe: 'Cancelar a inscrição',
  preferences: 'Preferências de e-mail',
  subjectCart: 'O seu carrinho em {store}',
  subjectCoupon: 'Um código de desconto em {store}',
  subjectShop: 'Uma mensagem de {store}',
}
