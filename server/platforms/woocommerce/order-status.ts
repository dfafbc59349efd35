import type { OrderKind } from '../platform/platform.ts'

// Interprets a WooCommerce order status (S4). Pure.

export interface StatusMeaning {
  kind: OrderKind
  amount: 'counts' | 'if_counted' | 'none'
}

const KNOWN = new Map<string, StatusMeaning>([
  ['checkout-draft', { kind: 'draft', amount: 'none' }],
  ['auto-draft', { kind: 'draft', amount: 'none' }],
  ['draft', { kind: 'draft', amount: 'none' }],
  ['pending', { kind: 'pending', amount: 'none' }],
  ['failed', { kind: 'failed', amount: 'none' }],
  ['cancelled', { kind: 'cancelled', amount: 'none' }],
  ['trash', { kind: 'trashed', amount: 'none' }],
  // Cash on delivery is `processing` and bank transfer `on-hold`, both before payment.
  ['processing', { kind: 'purchase', amount: 'counts' }],
  ['on-hold', { kind: 'purchase', amount: 'counts' }],
  ['completed', { kind: 'purchase', amount: 'counts' }],
  ['refunded', { kind: 'purchase', amount: 'none' }],
])

/** Words and parts of words with which shops name a failed order. */
const FAILED_WORDS =
  /cancel|stornier|annul|anulad|anulow|refus|reject|rechaz|rifiut|odrzuc|abgelehnt|declin|denied|void|expir|abgelaufen|fraud|betrug|charge-?back|disput|fail|fehlgeschl|fallid|return|retour|devuel|devol|zwrot|undeliver|lost|(?:^|-)rto(?:-|$)|refund|erstatt|rembours|reembols|rimbors|zwroc|estorn|terugbeta/

const REFUSED = 'cancel|annul|anul|reject|rechaz|rifiut|odrzuc|declin|denied|refus|abgelehnt|won'
/** Part of the order, or all of it, is still sold. */
const PARTIAL_WORDS = new RegExp(
  [
    'parti[ae]l|parcial|parzial|teil',
    // a refused request, or a check
    '(?:req|anfrage|beantragt|demand|solicit|aangevr|richiest|zglosz)(?!.*(?:approv|accept|done|complet))',
    'check|review|await|pend|pruef|attente',
    // a withdrawn, refused or won return or dispute
    `(?:return|retour|retoure|refund|cancel|cancellation|storno|dispute|chargeback|exchange|rueckgabe|rembours|devoluc|zwrot)s?-(?:${REFUSED})`,
  ].join('|'),
)

/**
 * A custom status may mean anything from "packed" to "asks for a price". It ends the cart, because a message to a buyer
 * is worse than a missed cart. Its amount counts only with proof: a payment, or an earlier status that counted.
 */
export function readStatus(status: string, isPaid: boolean): StatusMeaning {
  const known = KNOWN.get(status)
  if (known) return known
  const lower = status.toLowerCase()
  if (FAILED_WORDS.test(lower) && !PARTIAL_WORDS.test(lower)) return { kind: 'purchase', amount: 'none' }
  return { kind: 'purchase', amount: isPaid ? 'counts' : 'if_counted' }
}
