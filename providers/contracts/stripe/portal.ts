import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { requireCustomer } from './customers.ts'
import { createInvalidError } from './errors.ts'
import type { Call, Handlers } from './handlers.ts'
import { type ListParams, listKind, mergeMetadata } from './lists.ts'
import type { StripeState } from './state.ts'
import { assertUrl } from './urls.ts'

// Configurations and sessions of the billing portal. portal-page.ts renders its page.

export const portal: Handlers = {
  'BillingPortal/Configurations.create': ({ world, params }: Call<Stripe.BillingPortal.ConfigurationCreateParams>) => {
    const configuration = buildObject<Stripe.BillingPortal.Configuration>(
      'BillingPortal/Configurations',
      'Configuration',
      {
        id: world.id('bpc'),
        active: true,
        business_profile: profile(params.business_profile || {}),
        created: world.now,
        default_return_url: params.default_return_url || null,
        features: readFeatures(params.features),
        is_default: false,
        login_page: { enabled: params.login_page?.enabled ?? false },
        metadata: mergeMetadata(null, params.metadata),
        updated: world.now,
      },
    )
    return world.put('billing_portal.configuration', configuration)
  },
  'BillingPortal/Configurations.retrieve': ({ world, id }: Call<unknown>) =>
    world.need('billing_portal.configuration', id),
  'BillingPortal/Configurations.update': ({
    world,
    id,
    params,
  }: Call<Stripe.BillingPortal.ConfigurationUpdateParams>) => {
    const configuration = world.need('billing_portal.configuration', id)
    if (params.active !== undefined) configuration.active = params.active
    if (params.business_profile)
      configuration.business_profile = profile({ ...configuration.business_profile, ...params.business_profile })
    if (params.default_return_url !== undefined) configuration.default_return_url = params.default_return_url || null
    if (params.features)
      configuration.features = readFeatures({ ...configuration.features, ...params.features } as Features)
    configuration.metadata = mergeMetadata(configuration.metadata, params.metadata)
    configuration.updated = world.now
    return configuration
  },
  'BillingPortal/Configurations.list': ({ world, params }: Call<Stripe.BillingPortal.ConfigurationListParams>) =>
    listKind(world, 'billing_portal.configuration', params as ListParams & Record<string, unknown>, [
      'active',
      'is_default',
    ]),
  'BillingPortal/Sessions.create': ({ world, params }: Call<Stripe.BillingPortal.SessionCreateParams>) => {
    if (!params.customer) throw createInvalidError('Missing required param: customer.', 'customer', 'parameter_missing')
    requireCustomer(world, params.customer)
    if (params.return_url) assertUrl(params.return_url, 'return_url')
    const configuration = findConfiguration(world, params.configuration)
    const id = world.id('bps')
    return world.put(
      'billing_portal.session',
      buildObject<Stripe.BillingPortal.Session>('BillingPortal/Sessions', 'Session', {
        id,
        configuration: configuration.id,
        created: world.now,
        customer: params.customer,
        locale: params.locale ?? null,
        return_url: params.return_url ?? configuration.default_return_url,
        url: `${world.settings.url}/p/session/${id}`,
      }),
    )
  },
}

function findConfiguration(world: StripeState, id: string | undefined): Stripe.BillingPortal.Configuration {
  if (id) {
    const found = world.need('billing_portal.configuration', id, 'configuration')
    if (found.active) return found
    throw createInvalidError(`The configuration ${id} is not active.`, 'configuration')
  }
  throw createInvalidError(
    'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.',
  )
}

type Features = Partial<Stripe.BillingPortal.ConfigurationCreateParams.Features>

const profile = (input: {
  headline?: string | null
  privacy_policy_url?: string | null
  terms_of_service_url?: string | null
}) => ({
  headline: input.headline || null,
  privacy_policy_url: input.privacy_policy_url || null,
  terms_of_service_url: input.terms_of_service_url || null,
})

/** Features are off unless requested. */
const readFeatures = (input: Features = {}) =>
  buildObject<Stripe.BillingPortal.Configuration.Features>('BillingPortal/Configurations', 'Configuration.Features', {
    customer_update: {
      allowed_updates: input.customer_update?.allowed_updates || [],
      enabled: input.customer_update?.enabled ?? false,
    },
    invoice_history: { enabled: input.invoice_history?.enabled ?? false },
    payment_method_update: { enabled: input.payment_method_update?.enabled ?? false },
    subscription_cancel: {
      cancellation_reason: {},
      enabled: input.subscription_cancel?.enabled ?? false,
      mode: input.subscription_cancel?.mode ?? 'at_period_end',
      proration_behavior: 'none',
    },
    subscription_pause: { duration: { type: 'indefinite' } },
    subscription_update: {
      enabled: input.subscription_update?.enabled ?? false,
      proration_behavior: 'none',
      schedule_at_period_end: {},
      trial_update_behavior: 'end_trial',
    },
  })
