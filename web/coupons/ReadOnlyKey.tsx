import { Link } from 'react-router'
import { couponTexts } from '../../shared/coupons.ts'
import { Notice } from '../ui/Notice.tsx'

/** `isLive`: the store has just refused something. */
export const ReadOnlyKey = ({ isLive = false }: { isLive?: boolean }) => (
  <Notice tone="warn" title={couponTexts.readOnlyKey} isLive={isLive}>
    What to do: in WooCommerce, open Settings → Advanced → REST API, and give the key the permission Read/Write; then
    choose “Sync now”. Or add a key with the permission Read/Write, and replace the keys in the connection doctor on the{' '}
    <Link to="/settings">Store tab of the settings</Link>.
  </Notice>
)
