import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import { NoCouponByWhatsApp } from './StepCoupon.tsx'
import type { CouponEdit } from './step-coupon.ts'

interface Props {
  /** null: no template is chosen. undefined: it is shown elsewhere. */
  text: string | null | undefined
  /** undefined: the message cannot have one. */
  coupon: CouponEdit | undefined
}

/** WhatsApp texts are chosen from the approved templates. */
export const Approved = ({ text, coupon }: Props) => (
  <div>
    {text !== undefined && (
      <>
        <Text fz="sm" fw={550} mb={4}>
          Approved template
        </Text>
        <pre className="snippet">{text ?? 'No template is chosen yet.'}</pre>
      </>
    )}
    <Text fz="sm" c="dimmed" mt={4}>
      WhatsApp delivers only approved templates.{' '}
      <Anchor component={Link} to="/settings/sending/whatsapp" inherit underline="always">
        {text === null ? 'Choose a template' : 'Choose another one'}
      </Anchor>
    </Text>
    {coupon && <NoCouponByWhatsApp step={coupon} />}
  </div>
)
