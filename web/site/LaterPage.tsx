import { IconClock } from '@tabler/icons-react'
import { useScreen } from '../access/screen.ts'
import { Empty } from '../ui/Empty.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'

/** What stands at the specification's paths whose screens are not built yet: one sentence, and no button that does nothing. */
export function LaterPage() {
  const title = useScreen()?.title ?? ''
  return (
    <>
      <PageTitle title={title} />
      <Empty icon={IconClock} text={`${title}: this screen is not built yet.`} />
    </>
  )
}
