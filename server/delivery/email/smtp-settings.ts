import type { MailSecurity } from '../../../shared/delivery/mail-server.ts'
import type { LookupAll } from '../../core/net/public.ts'

// Settings of an SMTP server: from the operator's URL, smtp://user:password@host:port?option=value (smtps:// for
// implicit TLS), or from an account's settings.

export interface SmtpSettings {
  host: string
  port: number
  isTlsFromStart: boolean
  /** Fail without STARTTLS. */
  isTlsRequired: boolean
  /** Never use STARTTLS, even if it is offered. */
  isTlsIgnored: boolean
  isCertificateChecked: boolean
  auth: { user: string; pass: string } | null
  /** Our name in EHLO; null: the machine's host name. */
  clientName: string | null
  /** Restrictions for an untrusted host: allowed addresses and trusted certificates. null: the operator's host. */
  guard: SmtpGuard | null
}

export interface SmtpGuard {
  allowsPrivate: boolean
  /** Certificate authorities and name resolution for tests. */
  ca?: string | undefined
  lookupAll?: LookupAll | undefined
}

/** An account's settings. */
export interface OwnServer {
  host: string
  port: number
  security: MailSecurity
  user: string
  password: string
}

/** Allows an unencrypted connection only to this machine, and always checks the certificate. */
export function toSmtpSettings({ host, port, security, user, password }: OwnServer, guard: SmtpGuard): SmtpSettings {
  return {
    host,
    port,
    isTlsFromStart: security === 'tls',
    isTlsRequired: security === 'starttls',
    isTlsIgnored: security === 'none',
    isCertificateChecked: true,
    auth: user ? { user, pass: password } : null,
    clientName: null,
    guard,
  }
}

const HINT = 'An SMTP address looks like smtp://user:password@mail.example.com:587 or smtps://…'
const OPTIONS = ['requireTLS', 'ignoreTLS', 'tls.rejectUnauthorized', 'name']

/** Parses an SMTP URL. Throws a sentence for the operator that never contains the password. */
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
    // A password is sent unencrypted over a network only if the operator allows it.
    isTlsRequired: flag(url, 'requireTLS') ?? (auth !== null && !isTlsFromStart && !isTlsIgnored && !isLoopback(host)),
    isTlsIgnored,
    // A mail server on this machine usually has a self-signed certificate.
    isCertificateChecked: flag(url, 'tls.rejectUnauthorized') ?? !isLoopback(host),
    auth,
    clientName: url.searchParams.get('name'),
    guard: null,
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
