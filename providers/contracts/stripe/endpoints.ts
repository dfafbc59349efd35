import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { API_VERSION } from './declarations.ts'
import { createInvalidError } from './errors.ts'
import type { Call, Handlers } from './handlers.ts'
import { type ListParams, listKind, mergeMetadata } from './lists.ts'
import { DAY } from './state.ts'
import { assertUrl } from './urls.ts'

// Webhook endpoints, events, and the account itself.

export const endpoints: Handlers = {
  'WebhookEndpoints.create': ({ world, params }: Call<Stripe.WebhookEndpointCreateParams>) => {
    assertReachable(params.url)
    const endpoint = buildObject<Stripe.WebhookEndpoint>('WebhookEndpoints', 'WebhookEndpoint', {
      id: world.id('we'),
      api_version: params.api_version ?? API_VERSION,
      created: world.now,
      description: params.description || null,
      enabled_events: params.enabled_events,
      metadata: mergeMetadata(null, params.metadata),
      secret: world.id('whsec'),
      status: 'enabled',
      url: params.url,
    })
    world.put('webhook_endpoint', endpoint)
    return endpoint
  },
  'WebhookEndpoints.retrieve': ({ world, id }: Call<unknown>) => omitSecret(world.need('webhook_endpoint', id)),
  'WebhookEndpoints.update': ({ world, id, params }: Call<Stripe.WebhookEndpointUpdateParams>) => {
    const endpoint = world.need('webhook_endpoint', id)
    if (params.url) {
      assertReachable(params.url)
      endpoint.url = params.url
    }
    if (params.enabled_events) endpoint.enabled_events = params.enabled_events
    if (params.disabled !== undefined) endpoint.status = params.disabled ? 'disabled' : 'enabled'
    if (params.description !== undefined) endpoint.description = params.description || null
    endpoint.metadata = mergeMetadata(endpoint.metadata, params.metadata)
    return omitSecret(endpoint)
  },
  'WebhookEndpoints.list': ({ world, params }: Call<Stripe.WebhookEndpointListParams>) => {
    const list = listKind(world, 'webhook_endpoint', params as ListParams & Record<string, unknown>)
    return { ...list, data: list.data.map(omitSecret) }
  },
  'WebhookEndpoints.del': ({ world, id }: Call<unknown>) => {
    world.need('webhook_endpoint', id)
    world.remove('webhook_endpoint', id)
    return { id, object: 'webhook_endpoint', deleted: true }
  },
  'Accounts.retrieveCurrent': () =>
    buildObject<Stripe.Account>('Accounts', 'Account', {
      id: 'acct_contract',
      charges_enabled: true,
      country: 'US',
      default_currency: 'usd',
      details_submitted: true,
      email: 'operator@recoup.example',
      payouts_enabled: true,
      type: 'standard',
    }),
  'Events.retrieve': ({ world, id }: Call<unknown>) => world.need('event', id),
  // Stripe keeps events for 30 days.
  'Events.list': ({ world, params }: Call<Stripe.EventListParams>) =>
    listKind(
      world,
      'event',
      params as ListParams & Record<string, unknown>,
      ['type'],
      ({ created, type }) => created > world.now - 30 * DAY && (!params.types || params.types.includes(type)),
    ),
}

/** The secret is returned only when the endpoint is created. */
function omitSecret(endpoint: Stripe.WebhookEndpoint): Stripe.WebhookEndpoint {
  const { secret: _, ...rest } = endpoint
  return rest as Stripe.WebhookEndpoint
}

function assertReachable(url: string): void {
  assertUrl(url, 'url')
  if (/^https?:\/\/(localhost|127\.|10\.|192\.168\.|\[)/.test(url)) {
    throw createInvalidError('Invalid URL: URL must be publicly accessible.', 'url', 'url_invalid')
  }
}
