/** Why a guarded fetch failed. */
export type FetchProblemKind =
  | 'timeout'
  | 'aborted'
  | 'certificate'
  | 'refused'
  | 'connection_lost'
  | 'dns'
  | 'redirect_loop'
  | 'redirect_refused'
  | 'private_address'
  | 'too_large'
  | 'bad_url'

/**
 * `detail` names hosts and reasons, never a path or query, which may contain keys. It has no `cause` for the same
 * reason.
 */
export class FetchProblem extends Error {
  override name = 'FetchProblem'
  readonly kind: FetchProblemKind
  readonly detail: string | null
  constructor(kind: FetchProblemKind, detail: string | null = null) {
    super(detail ? `${kind}: ${detail}` : kind)
    this.kind = kind
    this.detail = detail
  }
}

const CERTIFICATE_CODES = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
])
const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])
const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME', 'ENODATA'])
const REFUSED_CODES = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN', 'EPROTO'])

/** Classifies errors of undici, net, tls and dns by code, never by text. */
export function classifyFetchFailure(error: unknown): FetchProblem {
  if (error instanceof FetchProblem) return error
  const guard = error instanceof AggregateError ? error.errors.find((one) => one instanceof FetchProblem) : undefined
  if (guard instanceof FetchProblem) return guard
  const code = findErrorCode(error)
  if (CERTIFICATE_CODES.has(code) || code.startsWith('CERT_'))
    return new FetchProblem('certificate', certificateDetail(code))
  if (TIMEOUT_CODES.has(code)) return new FetchProblem('timeout')
  if (code === 'EAI_FAIL') return new FetchProblem('dns', 'the DNS answers with an error for this name')
  if (DNS_CODES.has(code)) return new FetchProblem('dns', 'the name has no address')
  if (REFUSED_CODES.has(code) || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return new FetchProblem(
      'refused',
      code.includes('SSL') || code === 'EPROTO' ? 'no TLS on this port' : 'connection refused',
    )
  }
  if (code === 'ERR_INVALID_URL' || code === 'UND_ERR_INVALID_ARG') return new FetchProblem('bad_url')
  return new FetchProblem('connection_lost', 'the connection broke off')
}

function findErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const own = (error as NodeJS.ErrnoException).code
  if (typeof own === 'string') return own
  return error.cause instanceof Error ? findErrorCode(error.cause) : ''
}

function certificateDetail(code: string): string {
  if (code.includes('SELF_SIGNED')) return 'self-signed certificate'
  if (code === 'CERT_HAS_EXPIRED') return 'certificate has expired'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') return 'certificate is for another name'
  return 'certificate cannot be verified'
}
