import { isLoopbackHost, type MailSecurity } from '../../../shared/delivery/mail-server.ts'
import { joinLines, type SmtpFailure } from '../../messages/channels/public.ts'

// Explains to the owner why a mail server could not be used. Pure.

export interface TestedServer {
  host: string
  port: number
  security: MailSecurity
}

/** Explains a failure to connect, encrypt or sign in, with the server's reply at the end. */
export function explainServerFailure(failure: SmtpFailure, tried: TestedServer): string {
  const quote = failure.replyCode === null ? '' : ` It says: ${joinLines(failure.response)}`
  return `${describeFailure(failure, tried)}${quote}`
}

function describeFailure(failure: SmtpFailure, tried: TestedServer): string {
  const { host, port } = tried
  const { code, systemCode, stage, replyCode } = failure
  if (code === 'EDNS') return `The name ${host} was not found. Check the spelling.`
  if (code === 'EPRIVATE')
    return `${host} points to an address that is not public. Only mail servers on the internet can be used here.`
  const certificate = CERTIFICATES[systemCode ?? ''] ?? (systemCode?.startsWith('CERT_') ? CANNOT_BE_VERIFIED : null)
  if (certificate) return `The certificate of ${host} ${certificate}.`
  if (isNotTls(failure))
    return `${host} does not speak TLS from the start on port ${port}. Choose STARTTLS, or port 465.`
  if (systemCode === 'ECONNREFUSED') {
    return `${host} refused the connection: nothing listens on port ${port} there. Mail servers use 587 with STARTTLS or 465 with TLS.`
  }
  if (UNREACHABLE.has(systemCode ?? '')) return `${host} cannot be reached from this server.`
  if (replyCode !== null && replyCode >= 400 && replyCode < 500) return describeDelay(stage, host)
  if (stage === 'sign_in') return describeSignInFailure(failure, host)
  if (code === 'ETLS' || failure.command === 'STARTTLS') {
    return `${host} does not offer STARTTLS on port ${port}. Choose TLS with port 465, or ask your mail provider.`
  }
  if (code === 'ETIMEDOUT' || systemCode === 'ETIMEDOUT') return describeTimeout(tried)
  if (replyCode !== null) return `${host} refuses connections from this server.`
  return `${host} closed the connection on port ${port}. Check port and encryption.`
}

const CANNOT_BE_VERIFIED = 'cannot be verified'
const SELF_SIGNED = 'is self-signed. The server needs a certificate from a certificate authority'

const CERTIFICATES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name. Enter the server’s name as your mail provider writes it',
  HOSTNAME_MISMATCH: 'is for another name. Enter the server’s name as your mail provider writes it',
  CERT_HAS_EXPIRED: 'has expired. The mail server’s administrator must renew it',
  CERT_NOT_YET_VALID: 'is not valid yet',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CANNOT_BE_VERIFIED,
  UNABLE_TO_GET_ISSUER_CERT: CANNOT_BE_VERIFIED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CANNOT_BE_VERIFIED,
  INVALID_CA: CANNOT_BE_VERIFIED,
  INVALID_PURPOSE: CANNOT_BE_VERIFIED,
}

const UNREACHABLE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN'])

/** The first bytes were not TLS, as from a server that greets unencrypted. */
const isNotTls = ({ systemCode }: SmtpFailure): boolean =>
  systemCode === 'EPROTO' || (systemCode?.startsWith('ERR_SSL_') ?? false)

function describeDelay(stage: SmtpFailure['stage'], host: string): string {
  return stage === 'sign_in'
    ? `${host} does not accept the sign-in at the moment. Try again in a few minutes.`
    : `${host} reported a temporary problem. Try again later.`
}

function describeSignInFailure({ code, replyCode, response }: SmtpFailure, host: string): string {
  if (replyCode !== null) {
    return `${host} refused the user name and password. Many providers require an app password or an API key.`
  }
  if (code === 'EAUTH' && response.includes('does not offer')) {
    return `${host} does not support sign-in on this port. Leave user and password empty, or use port 587 or 465.`
  }
  return `${host} ended the sign-in.`
}

function describeTimeout({ host, port, security }: TestedServer): string {
  const start = `${host} did not answer on port ${port} in time.`
  if (isLoopbackHost(host)) return start
  if (port === 25) return `${start} Many networks block port 25: use 587 or 465.`
  if (port === 465 && security !== 'tls') return `${start} Port 465 usually wants TLS instead of STARTTLS.`
  return `${start} The port may be wrong, or blocked by a firewall.`
}
