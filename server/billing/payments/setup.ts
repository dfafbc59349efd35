import type Stripe from 'stripe'
import type { Config } from '../../core/config/public.ts'
import { findPortal, listPrices } from './catalogue.ts'
import {
  buildHookUrl,
  buildPrice,
  type CatalogueEntry,
  catalogueEntries,
  eventTypes,
  findPriceFault,
  products,
} from './catalogue-rules.ts'
import { API_VERSION } from './stripe.ts'

// Creates the objects at Stripe that sales need, and reports differences (decision 82).

export interface SetupReport {
  /** Sentences: what was created or updated. Empty: everything existed. */
  done: string[]
  /** Remarks that are not errors. */
  notes: string[]
  /** Errors that were left as they are. */
  wrong: string[]
}

type Settings = Pick<Config, 'publicUrl' | 'companyName' | 'stripe'>

/**
 * Idempotent. `isReplacing`: a wrong price passes its lookup key to a new one, and subscribers of the old one keep
 * paying it.
 */
export async function setUpBilling(
  stripe: Stripe,
  settings: Settings,
  { isReplacing = false } = {},
): Promise<SetupReport> {
  const report: SetupReport = { done: [], notes: [], wrong: [] }
  for (const product of products) await setUpProduct(stripe, product, report)
  const prices = await listPrices(stripe)
  for (const expected of catalogueEntries) await setUpPrice(stripe, expected, { prices, report, isReplacing })
  await setUpPortal(stripe, settings, report)
  await setUpWebhook(stripe, settings, report)
  return report
}

async function setUpProduct(stripe: Stripe, { id, name }: (typeof products)[number], report: SetupReport) {
  const found = await stripe.products.retrieve(id).catch((error: unknown) => {
    if ((error as { code?: string }).code === 'resource_missing') return null
    throw error
  })
  if (!found) {
    await stripe.products.create({ id, name })
    report.done.push(`Created the product ${id}.`)
  } else if (!found.active) {
    report.wrong.push(`The product ${id} is archived. Unarchive it in Stripe, then run this again.`)
  }
}

async function setUpPrice(
  stripe: Stripe,
  expected: CatalogueEntry,
  { prices, report, isReplacing }: { prices: readonly Stripe.Price[]; report: SetupReport; isReplacing: boolean },
) {
  const price = prices.find(({ lookup_key }) => lookup_key === expected.lookupKey)
  if (!price) {
    await stripe.prices.create(buildPrice(expected))
    report.done.push(`Created the price ${expected.lookupKey}.`)
    return
  }
  const fault = findPriceFault(price, expected)
  if (!fault) return
  const sentence = `The price ${expected.lookupKey} (${price.id}) ${fault}.`
  if (isReplacing) {
    const created = await stripe.prices.create({ ...buildPrice(expected), transfer_lookup_key: true })
    report.done.push(`${sentence} ${created.id} was created instead.`)
    return
  }
  report.wrong.push(
    `${sentence} It was left as it is, and nothing is sold while it is so. To make a new price in its place: npm run billing:setup -- --replace`,
  )
}

async function setUpPortal(stripe: Stripe, settings: Settings, report: SetupReport) {
  const expected = buildPortal(settings)
  const found = await findPortal(stripe, settings.publicUrl)
  if (!found) {
    await createPortal(stripe, settings)
    report.done.push('Created the customer portal configuration.')
  } else if (!hasAll(found, expected)) {
    await stripe.billingPortal.configurations.update(found.id, expected)
    report.done.push(`Updated the customer portal configuration (${found.id}).`)
  }
}

/** Id of the portal configuration, created again if it was removed since the setup. */
export async function ensurePortal(stripe: Stripe, settings: Settings): Promise<string> {
  return ((await findPortal(stripe, settings.publicUrl)) ?? (await createPortal(stripe, settings))).id
}

const createPortal = (stripe: Stripe, settings: Settings) =>
  stripe.billingPortal.configurations.create({
    ...buildPortal(settings),
    metadata: { recoup: settings.publicUrl },
  })

/**
 * Card, address and invoices. Plans are changed and canceled in Recoup, which explains the effect first (decision 85).
 */
function buildPortal({ publicUrl, companyName }: Settings) {
  const isReachable = publicUrl.startsWith('https:')
  return {
    business_profile: {
      headline: companyName,
      ...(isReachable && {
        privacy_policy_url: `${publicUrl}/privacy`,
        terms_of_service_url: `${publicUrl}/terms`,
      }),
    },
    default_return_url: `${publicUrl}/billing`,
    features: {
      customer_update: { enabled: true, allowed_updates: ['address', 'email', 'name', 'tax_id'] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: false },
      subscription_update: { enabled: false },
    },
  } satisfies Stripe.BillingPortal.ConfigurationCreateParams
}

/** Whether `there` contains everything in `wanted`. Lists are compared without order. */
function hasAll(there: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return Array.isArray(there) && expected.toSorted().join() === there.toSorted().join()
  }
  if (typeof expected !== 'object' || expected === null) return there === expected
  if (typeof there !== 'object' || there === null) return false
  return Object.entries(expected).every(([key, value]) => hasAll((there as Record<string, unknown>)[key], value))
}

async function setUpWebhook(stripe: Stripe, { publicUrl, stripe: settings }: Settings, report: SetupReport) {
  const url = buildHookUrl(publicUrl)
  if (!publicUrl.startsWith('https:')) {
    report.notes.push(
      `No webhook endpoint was made, as Stripe cannot reach ${publicUrl}. To try it on this machine: stripe listen --forward-to ${url}, with STRIPE_WEBHOOK_SECRET set to the secret that it prints.`,
    )
    return
  }
  const endpoints = await stripe.webhookEndpoints.list({ limit: 100 })
  const found = endpoints.data.find((endpoint) => endpoint.url === url)
  if (found) return updateObject(stripe, found, { report, hasSecret: Boolean(settings?.webhookSecrets.length) })
  const created = await stripe.webhookEndpoints.create({
    url,
    enabled_events: [...eventTypes],
    api_version: API_VERSION,
    description: 'Recoup',
  })
  report.done.push(
    `Made the webhook endpoint ${url}. Stripe tells its secret only now, so put it into the settings: STRIPE_WEBHOOK_SECRET=${created.secret}`,
  )
}

async function updateObject(
  stripe: Stripe,
  endpoint: Stripe.WebhookEndpoint,
  { report, hasSecret }: { report: SetupReport; hasSecret: boolean },
) {
  const isEverything = endpoint.enabled_events.includes('*')
  const isRight = isEverything || eventTypes.every((type) => endpoint.enabled_events.includes(type))
  if (!isRight || endpoint.status !== 'enabled') {
    await stripe.webhookEndpoints.update(endpoint.id, {
      enabled_events: isRight ? (endpoint.enabled_events as Events) : [...eventTypes],
      disabled: false,
    })
    report.done.push(`Updated the webhook endpoint ${endpoint.url} (${endpoint.id}).`)
  }
  if (endpoint.api_version !== API_VERSION) {
    report.wrong.push(
      `The webhook endpoint ${endpoint.url} uses another version of Stripe's API (${endpoint.api_version ?? 'that of the account'}) than Recoup (${API_VERSION}). Delete it in Stripe, run this again, and put the new secret into the settings.`,
    )
  }
  if (!hasSecret) {
    report.wrong.push(
      `STRIPE_WEBHOOK_SECRET is not set. Copy the signing secret of ${endpoint.url} from Stripe's dashboard into the settings.`,
    )
  }
}

type Events = Stripe.WebhookEndpointUpdateParams.EnabledEvent[]
