import type { Composed } from '../compose/compose.ts'
import { isPush, isText } from '../decide/composing.ts'
import type { Ready } from '../decide/evaluate.ts'
import { domainOf } from '../email/mail-headers.ts'
import type { SendRow } from './deliver-sql.ts'
import type { GoingRow, PreparedRow } from './mail-turn-sql.ts'

// From a message that is ready to its row. Pure.

/** Of a text; nothing else costs. */
export const costOf = (composed: Ready['composed']) => (isText(composed) ? [composed.cost] : [])

/** What is written of a mail before it is sent. */
export function preparedRow({ row, address, composed, coupon, decision, inputs, firstMailLimit }: Ready): PreparedRow {
  const { template_id, template_version, variant_id } = row
  const { subject, html, text, tokens } = composed as Composed
  return {
    id: row.id,
    to_address: address,
    coupon_id: coupon?.couponId ?? null,
    coupon_code: coupon?.code ?? null,
    subject,
    body_html: html,
    body_text: text,
    template_id,
    template_version,
    variant_id,
    is_first_mail: firstMailLimit !== null,
    judged: { reason: decision.reason, inputs },
    tokens,
  }
}

/** What is asked of it once more as it leaves. */
export const goingRow = ({ row, address, addressHash, otherHashes, coupon, inputs }: Ready): GoingRow => ({
  id: row.id,
  shopper_id: row.shopper_id,
  cart_version: row.cart_version,
  address_hash: addressHash,
  other_hashes: otherHashes,
  domain: domainOf(address),
  coupon_id: coupon?.couponId ?? null,
  coupon_code: coupon?.code ?? null,
  coupon_wording: coupon?.wording ?? null,
  inputs: { consentBasis: inputs.consentBasis ?? null },
})

/** What is written of a text or a notification as it is sent. */
export function sendRow(ready: Ready, coolSince: Date): SendRow {
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
  if (isPush(composed)) {
    const { title, body } = composed.payload
    const free = { segments: null, cost_micros: null, cost_currency: null, text_since: null }
    return { ...base, ...free, subject: title, body_text: body }
  }
  if (!isText(composed)) throw new Error('a mail leaves in turns of its own')
  return {
    ...base,
    subject: null,
    body_text: composed.text,
    segments: composed.segments,
    cost_micros: composed.cost.amountMicros,
    cost_currency: composed.cost.currency,
    text_since: ready.isOncePerCart ? new Date(0) : coolSince,
  }
}
