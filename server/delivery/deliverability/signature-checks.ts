import type { Check } from '../../../shared/core/checks.ts'
import type { DnsAnswer } from '../../core/net/public.ts'
import { buildKeyRecord, buildKeyRecordName, type OwnKeyFinding } from '../email/public.ts'
import { ASK_AGAIN, type CheckText, check } from './sender-checks.ts'
import type { SpfFinding } from './spf.ts'

// Explains findings about the server's own signature and return address to a shop's owner. Pure.

/** `isSignedElsewhere`: the domain publishes another key, so the mail provider probably signs. */
export function checkSignature(domain: string, found: OwnKeyFinding, isSignedElsewhere: boolean): Check {
  return check('signature', 'DKIM: Recoup’s own signature', describeOwnKey(domain, found, isSignedElsewhere))
}

function describeOwnKey(domain: string, found: OwnKeyFinding, isSignedElsewhere: boolean): CheckText {
  if (found.kind === 'seen') {
    const finding = found.isFirst
      ? `The record is there. From now on, Recoup signs every email from ${domain} with the key “${found.selector}”.`
      : `Recoup signs every email from ${domain} with the key “${found.selector}”.`
    return { state: 'good', finding }
  }
  const record = {
    name: buildKeyRecordName(found.selector, domain),
    type: 'TXT',
    value: buildKeyRecord(found.publicKey),
  }
  switch (found.kind) {
    case 'failed':
      return { state: 'quiet', finding: `Could not be looked up: ${found.reason}.`, nextStep: ASK_AGAIN }
    case 'other':
      return {
        state: 'bad',
        finding: 'The record exists, but it is not this key. Often part of it was lost when it was copied.',
        nextStep: 'Replace its value with this complete one.',
        answer: found.record,
        record,
      }
    case 'missing':
      return isSignedElsewhere
        ? {
            state: 'skipped',
            finding: 'Not needed while your email provider signs. To have Recoup sign as well, add this record.',
            record,
          }
        : {
            state: 'warn',
            finding: 'Recoup has a key for this domain and uses it as soon as its record is found.',
            nextStep: 'Add this record where the domain’s DNS is managed, and run the check again.',
            record,
          }
  }
}

export interface ReturnPathFindings {
  mx: DnsAnswer<string>
  spf: SpfFinding
  /** Host name of this server. */
  ourHost: string
}

export function checkReturnPath(domain: string, found: ReturnPathFindings): Check {
  return check('return', 'Return address: where bounces go', describeReturnPath(domain, found))
}

function describeReturnPath(domain: string, { mx, spf, ourHost }: ReturnPathFindings): CheckText {
  if (mx.kind === 'failed') {
    return { state: 'quiet', finding: `Could not be looked up: ${mx.reason}.`, nextStep: ASK_AGAIN }
  }
  if (mx.kind !== 'found') {
    return {
      state: 'bad',
      finding: `${domain} does not accept email, so bounces are lost and many receivers refuse your email.`,
      nextStep: 'Add this record where the domain’s DNS is managed.',
      record: { name: domain, type: 'MX', value: `10 ${ourHost}` },
    }
  }
  if (spf.kind === 'found' && spf.isCovering) {
    return {
      state: 'good',
      finding: `It accepts email, and its SPF record includes our mail server.`,
      answer: mx.rows.join('\n'),
    }
  }
  return {
    state: 'warn',
    finding: `It accepts email, but no SPF record of ${domain} includes our mail server: receivers check the return address’s domain, not the sender’s.`,
    nextStep: `Give ${domain} the SPF record that is shown for the sender’s domain.`,
    answer: mx.rows.join('\n'),
  }
}
