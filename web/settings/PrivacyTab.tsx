import { useHasPermission } from '../access/queries.ts'
import { DocumentsCard } from '../consent/DocumentsCard.tsx'
import { RetentionCard } from '../consent/RetentionCard.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ConnectedTab } from './ConnectedTab.tsx'

export function PrivacyTab() {
  const canRead = useHasPermission('privacy:write')
  if (!canRead) return <Notice tone="info">Only an owner or admin may see and change this.</Notice>
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
