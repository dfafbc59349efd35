import type { Deps } from '../../deps.ts'
import type { PrivacyRequest } from '../../platforms/platform/public.ts'

// Privacy requests from a platform wait in a job, with the person encrypted.

const requestContext = (storeId: string) => `privacy-request:${storeId}`

export function sealRequest(
  { secrets }: Pick<Deps, 'secrets'>,
  storeId: string,
  privacyRequest: PrivacyRequest,
): string {
  const { request, customerId, email, phone } = privacyRequest
  return secrets.seal(JSON.stringify({ request, customerId, email, phone }), requestContext(storeId)).toString('base64')
}

export const openRequest = ({ secrets }: Pick<Deps, 'secrets'>, storeId: string, sealed: string): PrivacyRequest =>
  JSON.parse(secrets.open(Buffer.from(sealed, 'base64'), requestContext(storeId))) as PrivacyRequest
