import { Link } from 'react-router'
import { couponTexts } from '../../shared/coupons.ts'
import { Notice } from '../ui/Notice.tsx'

export const ReadOnlyKey = () => (
  <Notice tone="warn" title={couponTexts.readOnlyKey}>
    What to do: in WooCommerce, open Settings → Advanced → REST API, add a key with the permission Read/Write, and
    replace the keys in the connection doctor on the <Link to="/settings">Store tab of the settings</Link>.
  </Notice>
)
