import { Modal } from '@mantine/core'
import { useState } from 'react'
import type { Coupon } from '../../shared/coupons.ts'
import type { CouponList } from '../kits/coupons/queries.ts'
import { formatCode } from '../kits/coupons/rules.ts'
import { CouponForm } from './CouponForm.tsx'

/** Opens the form for a new coupon, in place of a coupon id. */
export const NEW = 'new'

interface Props {
  list: CouponList
  /** `NEW`, a coupon's id, or null if closed. It is in the address and survives a reload. */
  asked: string | null
  onClose: () => void
}

export function CouponDialog({ list, asked, onClose }: Props) {
  const [isAsking, setAsking] = useState(false)
  const { shown, turn } = useOpenCoupon(asked, list.coupons)
  return (
    <Modal
      opened={asked !== null && shown !== null}
      onClose={onClose}
      title={shown?.coupon ? `Edit ${formatCode(shown.coupon)}` : 'Create coupon'}
      size="lg"
      // While a confirmation is open, keys belong to it.
      closeOnEscape={!isAsking}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {shown && <CouponForm key={turn} coupon={shown.coupon} list={list} onAsking={setAsking} onClose={onClose} />}
    </Modal>
  )
}

/** Keeps the coupon as it was when opened, even if the list changes. */
function useOpenCoupon(requestedId: string | null, coupons: Coupon[]) {
  const [state, setState] = useState<{ asked: string | null; shown: { coupon: Coupon | null } | null; turn: number }>({
    asked: null,
    shown: null,
    turn: 0,
  })
  if (requestedId !== state.asked) {
    const coupon = coupons.find(({ _id, madeBy }) => _id === requestedId && madeBy === 'recoup')
    const shown = requestedId === NEW ? { coupon: null } : coupon ? { coupon } : null
    setState(
      requestedId === null ? { ...state, asked: requestedId } : { asked: requestedId, shown, turn: state.turn + 1 },
    )
  }
  return state
}
