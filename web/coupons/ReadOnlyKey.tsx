import { Text } from '@mantine/core'
import { Link } from 'react-router'
import { couponTexts } from '../../shared/coupons.ts'
import { Notice } from '../ui/Notice.tsx'

export const ReadOnlyKey = () => (
  <Notice tone="warn" title={couponTexts.readOnlyKey}>
    <Text span inherit>
      What to do: in WooCommerce, open Settings → Advanced → REST API, add a key with the permission Read/Write, and
      replace the keys in the connection doctor on the <Link to="/settings">Store tab of the settings</Link>.
    </Text>
  </Notice>
)
