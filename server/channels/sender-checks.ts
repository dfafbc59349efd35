import type { Check } from '../../shared/checks.ts'
import type { DkimFinding, DmarcFinding } from './mail-keys.ts'
import type { Trial, TrialStep, TrialStepName } from './smtp-trial.ts'
import { type SpfFinding, spfOfProvider } from './spf.ts'

// What was found about sending, in words a shop's owner can act on. Pure.

export type Said = Pick<Check, 'state' | 'finding'> & Partial<Check>

export const check = (id: string, title: string, said: Said): Check => ({
  id,
  title,
  nextStep: null,
  answer: null,
  record: null,
  ...said,
})

export const ASK_AGAIN = 'Run the check again in a minute.'

/** `host`: the mail server that mail is handed to, null while it goes nowhere. */
export function spfCheck(domain: string, found: SpfFinding, host: string | null): Check {
  return check('spf', 'SPF: who may send for the domain', saidOfSpf(domain, found, host))
}

function saidOfSpf(domain: string, found: SpfFinding, host: string | null): Said {
  const record = (value: string) => ({ name: domain, type: 'TXT', value })
  const provider = host ? spfOfProvider(host) : null
  const ours = provider ? `include:${provider}` : host ? `a:${host}` : 'mx'
  switch (found.kind) {
    case 'failed':
      return { state: 'quiet', finding: `Could not be looked up: ${found.reason}.`, nextStep: ASK_AGAIN }
    case 'none':
      return {
        state: 'bad',
        finding: `${domain} does not say who may send mail for it, so receivers cannot tell your mail from forged mail.`,
        nextStep: 'Add this record where the domain’s DNS is managed.',
        record: record(`v=spf1 ${ours} ~all`),
      }
    case 'several':
      return {
        state: 'bad',
        finding: 'There are several SPF records. Receivers then ignore all of them.',
        nextStep: 'Join them into one: keep every part between v=spf1 and all, delete the other records.',
        answer: found.records.join('\n'),
      }
    case 'found':
      return saidOfRecord(found, record, host, ours)
  }
}

function saidOfRecord(
  found: SpfFinding & { kind: 'found' },
  record: (value: string) => Check['record'],
  host: string | null,
  ours: string,
): Said {
  const answer = found.record
  if (found.isTooDeep) {
    return {
      state: 'bad',
      finding: 'The record needs more than ten look-ups. Receivers stop there and count it as an error.',
      nextStep: 'Remove the parts of services that no longer send for you.',
      answer,
    }
  }
  if (found.isOpen) {
    return {
      state: 'bad',
      finding: 'The record lets everybody on the internet send for the domain, which is as good as none.',
      nextStep: 'Change its end to ~all.',
      answer,
      record: record(answer.replace(/\+?\ball\b/i, '~all')),
    }
  }
  if (!host) return { state: 'good', finding: 'There is one record, and it is well-formed.', answer }
  if (found.isCovering) return { state: 'good', finding: `The record names our mail server, ${host}.`, answer }
  return {
    state: 'warn',
    finding: `The record does not name our mail server, ${host}. Where the mail provider uses a return address of its own this can be right; DKIM has to pass then.`,
    nextStep: 'Unless your provider says otherwise, change the record into this one.',
    answer,
    record: record(answer.replace(/^v=spf1/i, `v=spf1 ${ours}`)),
  }
}

/** `isSignedHere`: by the server's own key, so that nobody else has to. */
export function dkimCheck(domain: string, found: DkimFinding, isSignedHere = false): Check {
  const isNobodyElses = found.kind === 'none' || found.kind === 'unknown'
  const said: Said =
    isSignedHere && isNobodyElses
      ? {
          state: 'skipped',
          finding: 'No key of a mail provider was found, and none is needed: Recoup signs the mail itself.',
        }
      : saidOfDkim(domain, found)
  return check('dkim', 'DKIM: the mail provider’s signature', said)
}

function saidOfDkim(domain: string, found: DkimFinding): Said {
  const ask = 'Switch on DKIM for this domain at your mail provider and add the record it shows you.'
  switch (found.kind) {
    case 'failed':
      return { state: 'quiet', finding: `Could not be looked up: ${found.reason}.`, nextStep: ASK_AGAIN }
    case 'found':
      return {
        state: 'good',
        finding: `There is a key named “${found.selector}”. Whether mail is signed with it shows in the headers of a received mail: look for dkim=pass.`,
        answer: found.record,
      }
    case 'revoked':
      return { state: 'bad', finding: `The key “${found.selector}” was withdrawn: it is empty.`, nextStep: ask }
    case 'unknown':
      return {
        state: 'warn',
        finding: 'No key was found under the usual names, but the domain has something where keys are kept.',
        nextStep: 'Enter the selector your mail provider shows for this domain, and check again.',
      }
    case 'none':
      return {
        state: 'bad',
        finding: `There is no such key at ${domain}. Gmail and Yahoo ask for signed mail from whoever sends in bulk.`,
        nextStep:
          'Add the record of Recoup’s own signature below, or switch on DKIM for this domain at your mail provider.',
      }
  }
}

export function dmarcCheck(domain: string, found: DmarcFinding): Check {
  return check('dmarc', 'DMARC: what receivers do with forged mail', saidOfDmarc(domain, found))
}

function saidOfDmarc(domain: string, found: DmarcFinding): Said {
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
        finding: 'There is no DMARC record. Gmail and Yahoo ask for one from whoever sends in bulk.',
        nextStep: 'Add this record. It changes nothing for your mail and has reports sent to you.',
        record: suggested,
      }
    case 'broken':
      return {
        state: 'bad',
        finding:
          found.records.length > 1
            ? 'There are several DMARC records. Receivers then ignore all of them.'
            : 'The DMARC record names no policy that receivers know.',
        nextStep: 'Leave one record, with p=none, p=quarantine or p=reject.',
        answer: found.records.join('\n'),
        record: { ...suggested, name: `_dmarc.${found.at}` },
      }
    case 'found':
      return {
        state: 'good',
        finding: `${found.at === domain ? 'The record' : `The record of ${found.at}`} ${policyWords[found.policy]}`,
        answer: found.record,
      }
  }
}

const policyWords = {
  none: 'asks receivers to watch and report only. That is enough; once the reports look right, p=quarantine protects your name better.',
  quarantine: 'has forged mail put into the spam folder.',
  reject: 'has forged mail refused.',
} as const

const stepTitles: Record<TrialStepName, string> = {
  connect: 'Connect',
  encrypt: 'Encrypt',
  sign_in: 'Sign in',
  mail_from: 'Sender',
  rcpt_to: 'Recipient',
  accept: 'Hand over',
}

/** The steps of a test mail. `from` and `to` are plain addresses. */
export function trialChecks(trial: Trial, from: string, to: string): Check[] {
  return trial.steps.map((step) => check(step.step, stepTitles[step.step], { ...saidOfStep(step, trial, from, to) }))
}

function saidOfStep({ step, state, answer }: TrialStep, { host, port }: Trial, from: string, to: string): Said {
  if (state === 'not_reached') return { state: 'quiet', finding: 'Not reached.' }
  if (state === 'failed') return { state: 'bad', answer, ...failureWords(step, from, to, `${host}:${port}`) }
  if (state === 'passed_over') {
    return step === 'sign_in'
      ? { state: 'skipped', finding: 'This mail server is used without signing in.' }
      : {
          state: isLoopback(host) ? 'skipped' : 'warn',
          finding: isLoopback(host)
            ? 'Not needed: the mail server is on the same machine.'
            : 'The mail server offers no encryption: mail travels to it in the clear.',
        }
  }
  const done: Record<TrialStepName, string> = {
    connect: `${host} answers at port ${port}.`,
    encrypt: 'The connection is encrypted.',
    sign_in: 'User and password were accepted.',
    mail_from: `It takes mail from ${from}.`,
    rcpt_to: `It takes mail for ${to}.`,
    accept: 'It took the mail and answers for it from here on. Look into your inbox, and into the spam folder.',
  }
  return { state: 'good', finding: done[step], answer }
}

function failureWords(step: TrialStepName, from: string, to: string, server: string) {
  const words: Record<TrialStepName, [finding: string, nextStep: string]> = {
    connect: [
      `There is no conversation with ${server}.`,
      'Whoever runs this server checks host and port in SMTP_URL, and that no firewall is in between.',
    ],
    encrypt: [
      'No safe connection could be made.',
      'Use smtps:// for port 465 and smtp:// for 587 in SMTP_URL, with the host name on the server’s certificate.',
    ],
    sign_in: [
      'The mail server refused the sign-in.',
      'Check user and password in SMTP_URL; many providers want a password made for applications.',
    ],
    mail_from: [
      `The mail server does not send for ${from}.`,
      'Have this address or its domain confirmed at the mail provider, or set MAIL_FROM to one that is.',
    ],
    rcpt_to: [
      `The mail server does not take mail for ${to}.`,
      'If it speaks of relaying, it wants a sign-in or to know this server first; else check the address.',
    ],
    accept: [
      'The mail server refused the mail itself.',
      'Its answer says why: often a limit of the provider, or the content.',
    ],
  }
  const [finding, nextStep] = words[step]
  return { finding, nextStep }
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')
