import { Button, CloseButton, Group } from '@mantine/core'
import { type Coupon, couponTexts } from '../../../shared/carts/coupons.ts'
import { getErrorText } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useDeleteCoupon } from '../../kits/coupons/queries.ts'
import { formatDiscount } from '../../kits/coupons/rules.ts'

export type CreatedCoupon = Coupon

interface Props {
  coupon: CreatedCoupon
  onDismiss: () => void
  onProblem: (problem: string) => void
}

/** The coupon created by Quick Create, with Undo. */
export function CreatedNotice({ coupon, onDismiss, onProblem }: Props) {
  const remove = useDeleteCoupon()
  const undo = () =>
    remove.mutate(coupon._id, {
      onSuccess: () => {
        announce(`${coupon.code} deleted`)
        onDismiss()
      },
      onError: (error) => onProblem(getErrorText(error, couponTexts.deleteFailed)),
    })
  return (
    <Notice tone="good" isLive>
      <Group justify="space-between" gap="sm">
        <span>
          Coupon <strong>{coupon.code}</strong> created: {formatDiscount(coupon)}, valid for seven days.
        </span>
        <Group gap="xs" wrap="nowrap">
          <Button variant="default" size="compact-sm" loading={remove.isPending} onClick={undo}>
            Undo
          </Button>
          <CloseButton size="sm" c="inherit" aria-label="Dismiss" onClick={onDismiss} />
        </Group>
      </Group>
    </Notice>
  )
}
