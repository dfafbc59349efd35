import { Button, Group, Text } from '@mantine/core'
import { couponTexts } from '../../shared/coupons.ts'
import { useHasPermission } from '../access/queries.ts'
import { getErrorText } from '../accounts/queries.ts'
import { randomBelow } from '../coupons/QuickCreate.tsx'
import { useCreateCoupon } from '../coupons/queries.ts'
import { createQuickCode, createQuickCoupon } from '../coupons/rules.ts'
import { Notice } from '../ui/Notice.tsx'
import { type CouponEdit, withCoupon } from '../words/step-coupon.ts'

const PERCENT = 10
const VALID_HOURS = 72

/** B 9: the discount template promises 10%. One click creates the matching coupon. */
export function DiscountProposal({ onCoupon }: { onCoupon: (coupon: CouponEdit) => void }) {
  const create = useCreateCoupon()
  const mayCreate = useHasPermission('coupons:write')
  const make = () => {
    const coupon = createQuickCoupon(createQuickCode(randomBelow), PERCENT, Date.now())
    create.mutate(
      { ...coupon, kind: 'personal', validHours: VALID_HOURS },
      { onSuccess: (answer) => onCoupon(withCoupon(null, answer.coupon)) },
    )
  }
  return (
    <Notice tone="info" title="These words speak of a discount">
      <Text fz="sm" mb="xs">
        Choose a coupon above, or use {PERCENT}% off with personal codes that are good for {VALID_HOURS} hours.
      </Text>
      {mayCreate && (
        <Group>
          <Button size="xs" variant="default" loading={create.isPending} onClick={make}>
            Create this coupon
          </Button>
        </Group>
      )}
      {create.error && (
        <Text fz="sm" mt="xs" role="alert">
          {getErrorText(create.error, couponTexts.createFailed)}
        </Text>
      )}
    </Notice>
  )
}
