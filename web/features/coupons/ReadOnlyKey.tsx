import { Link } from 'react-router'
import { couponTexts } from '../../../shared/carts/coupons.ts'
import { platformCopy } from '../../../shared/platforms/platform-words.ts'
import { DEFAULT_PLATFORM } from '../../../shared/platforms/platforms.ts'
import { useStore } from '../../core/access/queries.ts'
import { Notice } from '../../core/ui/Notice.tsx'

/** `isLive`: the store has just refused a request. */
export function ReadOnlyKey({ isLive = false }: { isLive?: boolean }) {
  const platform = useStore()?.platform ?? DEFAULT_PLATFORM
  return (
    <Notice tone="warn" title={platformCopy[platform].noCoupons ?? couponTexts.readOnlyKey} isLive={isLive}>
      {platformCopy[platform].couponKey} Sync and keys are on the <Link to="/settings">Store tab of the settings</Link>.
    </Notice>
  )
}
