import { Text } from '@mantine/core'
import { useStore } from '../../core/access/queries.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { usePlugin } from '../stores/plugin-queries.ts'

/** Recoup creates and reads coupons by the shop's REST API; the plugin does neither. */
export function UnreachedShop() {
  const store = useStore()
  return store?.mode === 'plugin' ? <UnreachedNotice storeId={store.id} /> : null
}

function UnreachedNotice({ storeId }: { storeId: string }) {
  const plugin = usePlugin(storeId).data?.plugin
  if (plugin?.isReached !== false) return null
  return (
    <Notice tone="warn" title="Recoup cannot reach your shop to create coupons">
      <Text fz="sm">{plugin.reason}</Text>
      <Text fz="sm" mt={4}>
        Until it can, coupons cannot be created, changed or read. After two hours, messages are sent without their
        coupon or not at all, as set in each message.
      </Text>
    </Notice>
  )
}
