import type { Deps } from '../../deps.ts'
import type { PrivacyRequest } from '../../platforms/platform/event.ts'

// What a platform passes on of a person's rights waits in a job: whom it is about is encrypted meanwhile.

const contextOf = (storeId: string) => `privacy-request:${storeId}`

export function sealRequest({ secrets }: Pick<Deps, 'secrets'>, storeId: string, asked: PrivacyRequest): string {
  const { request, customerId, email, phone } = asked
  return secrets.seal(JSON.stringify({ request, customerId, email, phone }), contextOf(storeId)).toString('base64')
}

export const openRequest = ({ secrets }: Pick<Deps, 'secrets'>, storeId: string, sealed: string): PrivacyRequest =>
  JSON.parse(secrets.open(Buffer.from(sealed, 'base64'), contextOf(storeId))) as PrivacyRequest
