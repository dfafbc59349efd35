import { isPush, isText } from '../decide/composing.ts'
import type { Ready } from '../decide/evaluate.ts'
import type { HandOverRow } from './deliver-sql.ts'

// From a message that is ready to its row. Pure.

/** Of a text; nothing else costs. */
export const costOf = (composed: Ready['composed']) => (isText(composed) ? [composed.cost] : [])

/** What is written of a message as it is handed over. */
export function handOverRow(ready: Ready, coolSince: Date): HandOverRow {
  const { row, address, addressHash, composed, coupon, decision, inputs } = ready
  const { template_id, template_version, variant_id } = row
  const base = {
    id: row.id,
    cart_id: row.cart_id,
    cart_version: row.cart_version,
    address_hash: addressHash,
    other_hashes: ready.otherHashes,
    to_address: address,
    coupon_id: coupon?.couponId ?? null,
    coupon_code: coupon?.code ?? null,
    coupon_wording: coupon?.wording ?? null,
    template_id,
    template_version,
    variant_id,
    reason: decision.reason,
    inputs,
    tokens: composed.tokens,
  }
  const free = { segments: null, cost_micros: null, cost_currency: null, text_since: null }
  if (isPush(composed)) {
    const { title, body } = composed.payload
    return { ...base, ...free, subject: title, body_html: null, body_text: body }
  }
  if (!isText(composed)) {
    const { subject, html, text } = composed
    return { ...base, ...free, subject, body_html: html, body_text: text }
  }
  return {
    ...base,
    subject: null,
    body_html: null,
    body_text: composed.text,
    segments: composed.segments,
    cost_micros: composed.cost.amountMicros,
    cost_currency: composed.cost.currency,
    text_since: ready.isOncePerCart ? new Date(0) : coolSince,
  }
}
