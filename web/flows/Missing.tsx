import { Link } from 'react-router'
import { Notice } from '../ui/Notice.tsx'

/** What keeps a flow from being switched on, and where to mend it. */
export function Missing({ missing }: { missing: string[] }) {
  return (
    <Notice tone="warn" title="Before this flow can be switched on">
      <ul style={{ margin: '4px 0', paddingInlineStart: 20 }}>
        {missing.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Link to="/settings">Go to settings</Link>
    </Notice>
  )
}
