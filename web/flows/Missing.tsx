import { Link } from 'react-router'
import { useMay } from '../access/queries.ts'
import { Notice } from '../ui/Notice.tsx'

/** What keeps a flow from being switched on, and where to mend it. */
export function Missing({ missing }: { missing: string[] }) {
  const maySwitch = useMay('flows:switch')
  return (
    <Notice tone="warn" title="Before this flow can be switched on">
      <ul style={{ margin: '4px 0', paddingInlineStart: 20 }}>
        {missing.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {maySwitch ? <Link to="/settings">Go to settings</Link> : 'The owner or an admin of the account can do this.'}
    </Notice>
  )
}
