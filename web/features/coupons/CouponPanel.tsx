import { Anchor, Drawer, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Coupon } from '../../../shared/carts/coupons.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { Money } from '../../core/ui/Money.tsx'
import { formatCode, formatDateTimeIn } from '../../kits/coupons/rules.ts'
import { CouponState, DiscountText, ExternalCoupon, RemainingTime, Usage } from './parts.tsx'

interface Props {
  /** undefined: closed. */
  coupon: Coupon | undefined
  zone: string
  onClose: () => void
}

/** A coupon beside the list: its terms, its results, and the steps that use it. */
export function CouponPanel({ coupon, zone, onClose }: Props) {
  return (
    <Drawer
      opened={coupon !== undefined}
      onClose={onClose}
      position="right"
      size="md"
      title={coupon ? formatCode(coupon) : ''}
      attributes={{ header: { role: 'presentation' } }}
      closeButtonProps={{ 'aria-label': 'Close details' }}
    >
      {coupon && (
        <Stack gap="lg">
          <ExternalCoupon coupon={coupon} />
          <Terms coupon={coupon} zone={zone} />
          <section aria-label="Results">
            <Title order={3} mb="xs">
              Results
            </Title>
            <Facts entries={listFigures(coupon)} />
          </section>
          <Steps steps={coupon.steps} />
        </Stack>
      )}
    </Drawer>
  )
}

function Terms({ coupon, zone }: { coupon: Coupon; zone: string }) {
  const { startDate, endDate, kind, validHours, isTiedToEmail } = coupon
  return (
    <section aria-label="Terms">
      <Facts
        entries={[
          ['Discount', <DiscountText key="discount" coupon={coupon} />],
          ['Status', <CouponState key="state" coupon={coupon} zone={zone} />],
          ['Time left', <RemainingTime key="left" endDate={endDate} />],
          ['Starts', startDate ? formatDateTimeIn(startDate, zone) : 'When it is created'],
          ['Ends', endDate ? formatDateTimeIn(endDate, zone) : 'No end'],
          ['Used', <Usage key="used" coupon={coupon} />],
          ['Kind', kind === 'personal' ? 'A personal code for each shopper' : 'One code for everyone'],
          ...(kind === 'personal' ? listPersonalTerms(validHours, isTiedToEmail) : []),
        ]}
      />
      <Text fz="xs" c="dimmed" mt="xs">
        In the store’s time zone, {zone}.
      </Text>
    </section>
  )
}

const listPersonalTerms = (validHours: number, isTiedToEmail: boolean): [string, string][] => [
  ['Each code', `Works once, for ${formatCounted(validHours, 'hour')} after its message is sent`],
  ['Tied to email', isTiedToEmail ? 'Yes' : 'No'],
]

function listFigures({ figures, currency }: Coupon): [string, ReactNode][] {
  const { issued, sent, used, orders, netRevenue, discountGiven } = figures
  return [
    ...(issued === null ? [] : [['Issued', `${formatCounted(issued, 'code')}`] as [string, string]]),
    ['Sent', formatCounted(sent, 'message')],
    ['Used', formatCounted(used, 'time')],
    ['Orders', formatCount(orders)],
    ['Net revenue', <Money key="revenue" amount={netRevenue} currency={currency} />],
    ['Discount given', <Money key="discount" amount={discountGiven} currency={currency} />],
  ]
}

function Steps({ steps }: Pick<Coupon, 'steps'>) {
  return (
    <section aria-label="Flow steps">
      <Title order={3} mb="xs">
        Flow steps that send it
      </Title>
      {steps.length === 0 ? (
        <Text fz="sm" c="dimmed">
          None.
        </Text>
      ) : (
        <ul className="coupon-steps">
          {steps.map(({ flowId, flowName, step }) => (
            <li key={`${flowId} ${step}`}>
              <Anchor component={Link} to={`/flows/${flowId}`} fz="sm">
                {flowName}
              </Anchor>
              , step {step}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
