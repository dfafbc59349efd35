import { expect, test } from 'vitest'
import { listDesignInputs } from '../../../shared/messages/designs/designs.ts'
import { completeMail } from './convert.ts'
import { needsCoupon } from './documents.ts'

test('a design for both cases needs no coupon; one with only a coupon block does', () => {
  const designs = listDesignInputs('en').map(({ document }) => completeMail(document))
  expect(designs.filter(needsCoupon)).toEqual([])
  const last = designs.find(({ bands }) => bands.some(({ show }) => show === 'with_coupon'))!
  const bands = last.bands.filter(({ show }) => show !== 'without_coupon')
  expect(needsCoupon({ ...last, bands })).toBe(true)
})
