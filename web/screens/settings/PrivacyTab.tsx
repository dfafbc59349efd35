import { useHasPermission } from '../../core/access/queries.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { DocumentsCard } from '../../features/consent/DocumentsCard.tsx'
import { RetentionCard } from '../../features/consent/RetentionCard.tsx'
import { ConnectedTab } from './ConnectedTab.tsx'

export function PrivacyTab() {
  const canRead = useHasPermission('privacy:write')
  if (!canRead) return <Notice tone="info">Only an owner or admin can see and change this.</Notice>
  return (
    <ConnectedTab>
      {(store) => (
        <>
          <RetentionCard key={store.id} />
          <DocumentsCard captureKey={store.captureKey} />
        </>
      )}
    </ConnectedTab>
  )
}
