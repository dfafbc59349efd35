import { Text } from '@mantine/core'
import { type Coupon, couponTexts } from '../../../shared/carts/coupons.ts'
import { getErrorText } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { useDeleteCoupon } from '../../kits/coupons/queries.ts'
import { formatCode, formatStep } from '../../kits/coupons/rules.ts'

interface Props {
  /** null: closed. */
  coupon: Coupon | null
  onClose: () => void
  onProblem: (problem: string | null) => void
}

export function DeleteCoupon({ coupon, onClose, onProblem }: Props) {
  const remove = useDeleteCoupon()
  if (!coupon) return null
  const confirm = () =>
    remove.mutate(coupon._id, {
      onSuccess: () => {
        onProblem(null)
        announce(`${formatCode(coupon)} deleted`)
      },
      onError: (error) => onProblem(getErrorText(error, couponTexts.deleteFailed)),
      onSettled: onClose,
    })
  return (
    <Confirm
      opened
      title={`Delete ${formatCode(coupon)}?`}
      confirmLabel="Delete"
      isDangerous
      isBusy={remove.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text>Are you sure you want to delete this coupon? This action cannot be undone.</Text>
      {coupon.steps.length > 0 && (
        <>
          <Text mt="sm">These messages send it. They continue without a coupon:</Text>
          <ul className="coupon-steps">
            {coupon.steps.map((step) => (
              <li key={`${step.flowId} ${step.step}`}>{formatStep(step)}</li>
            ))}
          </ul>
        </>
      )}
    </Confirm>
  )
}
