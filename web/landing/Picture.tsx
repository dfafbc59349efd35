import type { ReactNode } from 'react'

/** How a left cart becomes a message, or does not: the product's one idea. Colours come from the page's roles. */
export function FlowPicture() {
  return (
    <svg className="flow" viewBox="0 0 480 520" role="img" aria-labelledby="flow-title flow-text">
      <title id="flow-title">From a left cart to a counted order</title>
      <desc id="flow-text">
        A cart is left. When its reminder is due, five checks run at that moment. If all pass, one mail goes out, the
        cart is refilled and the order is counted once. If the shopper has bought meanwhile, nothing is sent and the
        reason is kept.
      </desc>
      <path className="wire" d="M240 92v36" />
      <path className="wire" d="M240 340v14a18 18 0 0 1-18 18h-76a18 18 0 0 0-18 18v18" />
      <path className="wire" d="M240 354a18 18 0 0 0 18 18h84a18 18 0 0 1 18 18v18" />
      <Card x={70} y={8} width={340} height={84}>
        <circle className="chip" cx="112" cy="50" r="24" />
        <path className="icon" d="M100 41h4l3.4 14h12.4l3-10h-17M109 61.5h.1M118.500 61.5h.1" />
        <text className="strong" x="150" y="45">
          A cart is left
        </text>
        <text x="150" y="70">
          Last activity 1 hour ago
        </text>
      </Card>
      <Card x={40} y={128} width={400} height={212}>
        <text className="strong" x="64" y="162">
          Checked at that moment
        </text>
        {checks.map((check, index) => (
          <g key={check}>
            <circle className="tick-back" cx="76" cy={188 + index * 32} r="11" />
            <path className="tick" d={`M71 ${188 + index * 32}l3.500 3.500 7-7`} />
            <text x="100" y={194 + index * 32}>
              {check}
            </text>
          </g>
        ))}
      </Card>
      <Card x={16} y={408} width={224} height={104} tone="good">
        <text className="strong" x="36" y="440">
          Sent once
        </text>
        <text x="36" y="466">
          Cart refilled,
        </text>
        <text x="36" y="490">
          order counted
        </text>
      </Card>
      <Card x={256} y={408} width={208} height={104} tone="quiet">
        <text className="strong" x="276" y="440">
          Not sent
        </text>
        <text x="276" y="466">
          “The shopper has
        </text>
        <text x="276" y="490">
          bought.”
        </text>
      </Card>
    </svg>
  )
}

const checks = [
  'Not bought: orders just read',
  'Consent and the country’s rule',
  'Not unsubscribed',
  'Room under the frequency cap',
  'This step never sent before',
]

interface Box {
  x: number
  y: number
  width: number
  height: number
  tone?: 'good' | 'quiet'
  children: ReactNode
}

function Card({ tone, children, ...box }: Box) {
  return (
    <g className={tone}>
      <rect className="card" rx="14" {...box} />
      {children}
    </g>
  )
}
