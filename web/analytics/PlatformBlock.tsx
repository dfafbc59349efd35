import type { AnalyticsReply } from '../../shared/analytics.ts'
import { definitions } from '../../shared/analytics-definitions.ts'
import { platformNames } from '../../shared/platforms.ts'
import { formatMoney } from '../ui/format.ts'
import { Block, FactList } from './parts.tsx'
import { formatPercent } from './rules.ts'

/** Figures of the connected platform only (decision 96). */
export function PlatformBlock({ figures }: { figures: AnalyticsReply }) {
  const { currency } = figures
  const money = (amount: number | null) => (amount === null ? '–' : formatMoney(amount, currency))
  const facts = factsOf(figures, money)
  return facts ? (
    <Block title={`${facts.platform} metrics`}>
      <FactList facts={facts.facts} />
    </Block>
  ) : null
}

function factsOf(figures: AnalyticsReply, money: (amount: number | null) => string) {
  const { woocommerce: carts, shopify: checkouts } = figures
  if (checkouts) {
    return {
      platform: platformNames.shopify,
      facts: [
        {
          label: 'Checkout abandonment rate',
          definition: definitions.checkoutAbandonmentRate,
          value: formatPercent(checkouts.checkoutAbandonmentRate),
        },
        {
          label: 'Average order value',
          definition: definitions.averageOrderValue,
          value: money(checkouts.averageOrderValue),
        },
        {
          label: 'Customer lifetime value',
          definition: definitions.customerLifetimeValue,
          value: money(checkouts.customerLifetimeValue),
        },
      ],
    }
  }
  if (!carts) return null
  return {
    platform: platformNames.woocommerce,
    facts: [
      {
        label: 'Cart abandonment rate',
        definition: definitions.cartAbandonmentRate,
        value: formatPercent(carts.cartAbandonmentRate),
      },
      { label: 'Average cart value', definition: definitions.platformCartValue, value: money(carts.averageCartValue) },
      {
        label: 'Conversion rate',
        definition: definitions.cartConversionRate,
        value: formatPercent(carts.conversionRate),
      },
    ],
  }
}
