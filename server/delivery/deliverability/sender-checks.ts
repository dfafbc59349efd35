import type { Check } from '../../../shared/core/checks.ts'
import type { DkimFinding, DmarcFinding } from './mail-keys.ts'
import { type SpfFinding, spfOfProvider } from './spf.ts'

// Explains DNS findings about sending to a shop's owner. Pure.

export type CheckText = Pick<Check, 'state' | 'finding'> & Partial<Check>

export const check = (id: string, title: string, text: CheckText): Check => ({
  id,
  title,
  nextStep: null,
  answer: null,
  record: null,
  ...text,
})

export const ASK_AGAIN = 'Run the check again in a minute.'

/** `host`: the mail server that sends the mail; null: none is configured. */
export function spfCheck(domain: string, found: SpfFinding, host: string | null): Check {
  return check('spf', 'SPF: who may send for the domain', describeSpf(domain, found, host))
}

function describeSpf(domain: string, found: SpfFinding, host: string | null): CheckText {
  const record = (value: string) => ({ name: domain, type: 'TXT', value })
  const provider = host ? spfOfProvider(host) : null
  const ours = provider ? `include:${provider}` : host ? `a:${host}` : 'mx'
  switch (found.kind) {
    case 'failed':
      return { state: 'quiet', finding: `Could not be looked up: ${found.reason}.`, nextStep: ASK_AGAIN }
    case 'none':
      return {
        state: 'bad',
        finding: `${domain} does not state who may send email for it, so receivers cannot tell your email from forged email.`,
        nextStep: 'Add this record where the domain’s DNS is managed.',
        record: record(`v=spf1 ${ours} ~all`),
      }
    case 'several':
      return {
        state: 'bad',
        finding: 'There are several SPF records, so receivers ignore all of them.',
        nextStep: 'Merge them into one: keep every part between v=spf1 and all, then delete the other records.',
        answer: found.records.join('\n'),
      }
    case 'found':
      return describeRecord(found, record, host, ours)
  }
}

function describeRecord(
  found: SpfFinding & { kind: 'found' },
  record: (value: string) => Check['record'],
  host: string | null,
  ours: string,
): CheckText {
  const answer = found.record
  if (found.isTooDeep) {
    return {
      state: 'bad',
      finding: 'The record needs more than ten look-ups. Receivers treat this as an error.',
      nextStep: 'Remove the parts of services that no longer send for you.',
      answer,
    }
  }
  if (found.isOpen) {
    return {
      state: 'bad',
      finding: 'The record lets anyone on the internet send for the domain, which is no better than having none.',
      nextStep: 'Change its end to ~all.',
      answer,
      record: record(answer.replace(/\+?\ball\b/i, '~all')),
    }
  }
  if (!host) return { state: 'good', finding: 'There is one record, and it is well-formed.', answer }
  if (found.isCovering) return { state: 'good', finding: `The record includes our mail server, ${host}.`, answer }
  return {
    state: 'warn',
    finding: `The record does not include our mail server, ${host}. This can be correct if the email provider uses its own return address; DKIM must then pass.`,
    nextStep: 'Unless your provider says otherwise, change the record to this one.',
    answer,
    record: record(answer.replace(/^v=spf1/i, `v=spf1 ${ours}`)),
  }
}

/** `isSignedHere`: this server signs with its own key, so the provider need not. */
export function dkimCheck(domain: string, found: DkimFinding, isSignedHere = false): Check {
  const isUnclaimed = found.kind === 'none' || found.kind === 'unknown'
  const text: CheckText =
    isSignedHere && isUnclaimed
      ? {
          state: 'skipped',
          finding: 'No email provider key was found, and none is needed: Recoup signs the emails itself.',
        }
      : describeDkim(domain, found)
  return check('dkim', 'DKIM: your email provider’s signature', text)
}

function describeDkim(domain: string, found: DkimFinding): CheckText {
  const ask = 'Switch on DKIM for this domain at your email provider and add the record it shows you.'
  switch (found.kind) {
    case 'failed':
      return { state: 'quiet', finding: `Could not be looked up: ${found.reason}.`, nextStep: ASK_AGAIN }
    case 'found':
      return {
        state: 'good',
        finding: `There is a key named “${found.selector}”. To see whether emails are signed with it, look for dkim=pass in the headers of a received email.`,
        answer: found.record,
      }
    case 'revoked':
      return { state: 'bad', finding: `The key “${found.selector}” is empty, so it has been revoked.`, nextStep: ask }
    case 'unknown':
      return {
        state: 'warn',
        finding: 'No key was found under the usual names, but the domain has other DKIM records.',
        nextStep: 'Enter the selector your email provider shows for this domain, and check again.',
      }
    case 'none':
      return {
        state: 'bad',
        finding: `There is no such key at ${domain}. Gmail and Yahoo require signed email from bulk senders.`,
        nextStep:
          'Add the record of Recoup’s own signature below, or switch on DKIM for this domain at your email provider.',
      }
  }
}

export function dmarcCheck(domain: string, found: DmarcFinding): Check {
  return check('dmarc', 'DMARC: what receivers do with forged email', describeDmarc(domain, found))
}

function describeDmarc(domain: string, found: DmarcFinding): CheckText {
  const suggested = {
    name: `_dmarc.${domain}`,
    type: 'TXT',
    value: `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`,
  }
  switch (found.kind) {
    case 'failed':
      return { state: 'quiet', finding: `Could not be looked up: ${found.reason}.`, nextStep: ASK_AGAIN }
    case 'none':
      return {
        state: 'bad',
        finding: 'There is no DMARC record. Gmail and Yahoo require one from bulk senders.',
        nextStep: 'Add this record. It does not affect your email and has reports sent to you.',
        record: suggested,
      }
    case 'broken':
      return {
        state: 'bad',
        finding:
          found.records.length > 1
            ? 'There are several DMARC records, so receivers ignore all of them.'
            : 'The DMARC record has no valid policy.',
        nextStep: 'Leave one record, with p=none, p=quarantine or p=reject.',
        answer: found.records.join('\n'),
        record: { ...suggested, name: `_dmarc.${found.at}` },
      }
    case 'found':
      return {
        state: 'good',
        finding: `${found.at === domain ? 'The record' : `The record of ${found.at}`} ${policyText[found.policy]}`,
        answer: found.record,
      }
  }
}

const policyText = {
  none: 'asks receivers to monitor and report only. That is enough; once the reports look right, p=quarantine protects your domain better.',
  quarantine: 'sends forged email to the spam folder.',
  reject: 'has forged email refused.',
} as const
