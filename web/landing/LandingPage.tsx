import { LogoMark } from '../ui/Logo.tsx'
import { FlowPicture } from './Picture.tsx'
import { Pricing } from './Pricing.tsx'
import { Screenshot } from './Screenshot.tsx'
import { limits, notYet, type Proof, proofs, questions, steps, trials } from './words.ts'

/**
 * The page a stranger meets first. Rendered once, when the browser app is built: no script is needed to read it. What depends
 * on the running instance stands in Liquid's braces and is filled in by the server (`server/site/`).
 */
export function LandingPage() {
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Header />
      <main id="content">
        <Hero />
        <Steps />
        <Proofs />
        <Record />
        <Trials />
        <Pricing />
        <Questions />
        <Ending />
      </main>
      <Footer />
    </>
  )
}

function Header() {
  return (
    <header className="top">
      <div className="wrap">
        <a className="logo" href="#content" aria-label="Recoup, Abandoned Cart Recovery">
          <LogoMark size={32} />
          <span>
            Recoup <small>Abandoned Cart Recovery</small>
          </span>
        </a>
        <nav aria-label="This page">
          <a href="#how">How it works</a>
          <a href="#proof">Proof</a>
          <a href="#pricing">Pricing</a>
        </nav>
        <Doors />
      </div>
    </header>
  )
}

/** Both kinds of visitor get their way in; the style sheet shows the one that fits. */
function Doors() {
  return (
    <div className="doors">
      <a className="for-visitors" href="/login">
        Sign in
      </a>
      <a className="button small for-visitors" href="/register">
        Start free
      </a>
      <a className="button small for-members" href="/">
        Open Recoup
      </a>
    </div>
  )
}

function Hero() {
  return (
    <section className="hero">
      <div className="wrap halves">
        <div>
          <h1>
            Win back abandoned carts. <em>Prove every message.</em>
          </h1>
          <p className="lead">
            Recoup notices a cart being left in your WooCommerce store, works out whether and how you may write to that
            shopper, sends a reminder that refills the cart, and shows what it brought in.
          </p>
          <Calls />
          <p className="small-print">Free to start. Nothing is sent before you switch it on.</p>
        </div>
        <FlowPicture />
      </div>
    </section>
  )
}

function Calls() {
  return (
    <p className="calls">
      <a className="button" href="/register">
        Start free
      </a>
      {'{% if hasDemo %}'}
      <a className="button second" href="/login?demo">
        Try the live demo
      </a>
      {'{% endif %}'}
    </p>
  )
}

function Steps() {
  return (
    <section id="how" className="band" aria-labelledby="how-title">
      <div className="wrap">
        <h2 id="how-title">How it works</h2>
        <ol className="steps">
          {steps.map(({ title, text }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}

function Proofs() {
  return (
    <section id="proof" aria-labelledby="proof-title">
      <div className="wrap">
        <h2 id="proof-title">Five things that annoy owners elsewhere, and why they do not happen here</h2>
        <p className="lead">Do not take our word for it: each comes with how it is proven.</p>
        {proofs.map((proof) => (
          <ProofRow key={proof.id} {...proof} />
        ))}
      </div>
    </section>
  )
}

function ProofRow({ id, complaint, answer, proofs }: Proof) {
  return (
    <article className="proof" id={id}>
      <h3>{complaint}</h3>
      <p>{answer}</p>
      <div className="evidence">
        <h4>How it is proven</h4>
        <ul>
          {proofs.map((proof) => (
            <li key={proof}>{proof}</li>
          ))}
        </ul>
      </div>
    </article>
  )
}

function Record() {
  return (
    <section className="band" aria-labelledby="record-title">
      <div className="wrap halves">
        <div>
          <h2 id="record-title">“Why was this sent, or not?”</h2>
          <p className="lead">
            One click, for every message: what was decided, when, and what was known at that moment. Also for the ones
            that never left.
          </p>
          {'{% if hasDemo %}'}
          <p>
            The picture is the demo as it is. You can open the same page yourself, abandon a cart in the demo store, and
            read the mail a minute later.
          </p>
          {'{% endif %}'}
        </div>
        <Screenshot />
      </div>
    </section>
  )
}

function Trials() {
  return (
    <section aria-labelledby="trials-title">
      <div className="wrap">
        <h2 id="trials-title">How the engine is tried</h2>
        <p className="lead">
          A simulator makes up months in the life of shops, lets the real code live through them on a real database, and
          looks for a broken rule.
        </p>
        <ul className="trials">
          {trials.map(({ title, text }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
        <p>
          The whole account, with figures and what is left out, is in <code>docs/reliability.md</code> and{' '}
          <code>docs/reliability-outages.md</code> of the source. <code>npm run simulate</code> repeats it.
        </p>
        <div className="limits">
          <h3>What nobody can promise</h3>
          <ul>
            {limits.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
          <p>{notYet}</p>
        </div>
      </div>
    </section>
  )
}

function Questions() {
  return (
    <section aria-labelledby="questions-title">
      <div className="wrap narrow">
        <h2 id="questions-title">Questions</h2>
        {questions.map(({ question, answer }) => (
          <details key={question}>
            <summary>{question}</summary>
            <p>{answer}</p>
          </details>
        ))}
      </div>
    </section>
  )
}

function Ending() {
  return (
    <section className="band ending" aria-labelledby="ending-title">
      <div className="wrap">
        <h2 id="ending-title">See it for yourself</h2>
        <p className="lead">
          {'{% if hasDemo %}Leave a cart, get the mail, come back, and read why each thing happened.'}
          {
            '{% else %}Connect your store and read what would be sent. Nothing leaves before you switch it on.{% endif %}'
          }
        </p>
        <Calls />
      </div>
    </section>
  )
}

function Footer() {
  return (
    <footer>
      <div className="wrap">
        <p>{'{{ company }}'}</p>
        <nav aria-label="Small print">
          <a href="/terms">Terms</a>
          <a href="/privacy">Privacy</a>
          <a href="/login">Sign in</a>
          <a href="mailto:{{ support }}">Support</a>
        </nav>
      </div>
    </footer>
  )
}
