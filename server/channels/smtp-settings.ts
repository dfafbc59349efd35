// What an SMTP address says: smtp://user:password@host:port?option=value, smtps:// for TLS from the first byte.

export interface SmtpSettings {
  host: string
  port: number
  isTlsFromStart: boolean
  /** Refuse to go on without STARTTLS. */
  isTlsRequired: boolean
  /** Never use STARTTLS, even if it is offered. */
  isTlsIgnored: boolean
  isCertificateChecked: boolean
  auth: { user: string; pass: string } | null
  /** The name we greet with; the machine's own when null. */
  clientName: string | null
}

const HINT = 'An SMTP address looks like smtp://user:password@mail.example.com:587 or smtps://…'
const OPTIONS = ['requireTLS', 'ignoreTLS', 'tls.rejectUnauthorized', 'name']

/** Reads an SMTP address; throws a sentence for the operator that never repeats the password. */
export function readSmtpUrl(text: string): SmtpSettings {
  const url = URL.parse(text)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || !url.hostname) throw new Error(HINT)
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name))
  if (unknown) throw new Error(`The SMTP address has an unknown option "${unknown}"; known are ${OPTIONS.join(', ')}`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isTlsFromStart = url.protocol === 'smtps:'
  const auth = url.username ? { user: decode(url.username), pass: decode(url.password) } : null
  const isTlsIgnored = flag(url, 'ignoreTLS') ?? false
  return {
    host,
    port: Number(url.port) || (isTlsFromStart ? 465 : 587),
    isTlsFromStart,
    // A password never travels in the clear over a network unless the operator says so.
    isTlsRequired: flag(url, 'requireTLS') ?? (auth !== null && !isTlsFromStart && !isTlsIgnored && !isLoopback(host)),
    isTlsIgnored,
    // A mail server on this very machine usually has a self-signed certificate, and nobody sits in between.
    isCertificateChecked: flag(url, 'tls.rejectUnauthorized') ?? !isLoopback(host),
    auth,
    clientName: url.searchParams.get('name'),
  }
}

function flag(url: URL, name: string): boolean | undefined {
  const value = url.searchParams.get(name)
  if (value === null) return undefined
  if (value === 'true' || value === 'false') return value === 'true'
  throw new Error(`The SMTP address option "${name}" must be true or false`)
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Error('User and password in the SMTP address must be percent-encoded')
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
