import { isPush, isText } from '../decide/composing.ts'
import type { Ready } from '../decide/evaluate.ts'
import type { CandidateRow, PreparedRow } from './turn-sql.ts'

// Maps ready messages to the rows of the two statements before a send. Pure.

/** The content that `prepare` writes before the send. */
export function preparedRow({ row, address, composed, coupon, decision, inputs, firstMailLimit }: Ready): PreparedRow {
  const { template_id, template_version, variant_id } = row
  return {
    id: row.id,
    to_address: address,
    coupon_id: coupon?.couponId ?? null,
    coupon_code: coupon?.code ?? null,
    ...contentColumns(composed),
    template_id,
    template_version,
    variant_id,
    is_first_mail: firstMailLimit !== null,
    judged: { reason: decision.reason, inputs },
    tokens: composed.tokens,
  }
}

function contentColumns(composed: Ready['composed']): Pick<PreparedRow, 'subject' | 'body_html' | 'body_text'> {
  if (isPush(composed)) return { subject: composed.payload.title, body_html: null, body_text: composed.payload.body }
  if (isText(composed)) return { subject: null, body_html: null, body_text: composed.text }
  return { subject: composed.subject, body_html: composed.html, body_text: composed.text }
}

/** The values that the turn checks again. `own` holds those of the channel's rules. */
export const candidateRow = (ready: Ready, own: object): CandidateRow => ({
  id: ready.row.id,
  shopper_id: ready.row.shopper_id,
  cart_version: ready.row.cart_version,
  address_hash: ready.addressHash,
  other_hashes: ready.otherHashes,
  coupon_id: ready.coupon?.couponId ?? null,
  coupon_code: ready.coupon?.code ?? null,
  coupon_wording: ready.coupon?.wording ?? null,
  inputs: { consentBasis: ready.inputs.consentBasis ?? null },
  own,
})
