import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from 'react-router'
import { CaptureInstall } from '../../features/stores/CaptureInstall.tsx'
import { ConnectedTab } from './ConnectedTab.tsx'

export const CaptureScriptScreen = () => (
  <>
    <Link to="/settings" className="sending-back">
      <IconArrowLeft size={16} aria-hidden />
      Store
    </Link>
    <ConnectedTab>{(store) => <CaptureInstall key={store.id} store={store} />}</ConnectedTab>
  </>
)
