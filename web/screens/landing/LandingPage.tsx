import { LogoMark } from '../../core/ui/Logo.tsx'
import { problems, questions, steps } from './copy.ts'
import { Pricing } from './Pricing.tsx'
import { Screenshot } from './Screenshot.tsx'

/**
 * The landing page, rendered at build time, readable without scripts. Values of the running instance are Liquid
 * placeholders that the server fills in.
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
        <Problems />
        <Record />
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
          <a href="#problems">Why Recoup</a>
          <a href="#pricing">Pricing</a>
        </nav>
        <Doors />
      </div>
    </header>
  )
}

/** Links for new and signed-in visitors; CSS shows the matching one. */
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
            Win back abandoned carts <em>and the revenue in them</em>
          </h1>
          <p className="lead">
            Recoup messages shoppers who abandoned a cart in your WooCommerce or Shopify store, brings them back to a
            filled cart, and shows the revenue each message recovered, net of refunds.
          </p>
          <Calls />
          <p className="small-print">Free to start. Nothing is sent until you switch it on.</p>
        </div>
        <Screenshot of="dashboard" />
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

function Problems() {
  return (
    <section id="problems" aria-labelledby="problems-title">
      <div className="wrap">
        <h2 id="problems-title">Five problems with other recovery tools, solved</h2>
        <div className="problems">
          {problems.map(({ id, complaint, answer }) => (
            <article key={id} id={id}>
              <h3>{complaint}</h3>
              <p>{answer}</p>
              {id === 'silence' && <p>Alerts come on screen and by email.</p>}
            </article>
          ))}
        </div>
        <p className="lead">
          Each of these is tested, not only claimed: <a href="/how-we-test">How we test it</a>
        </p>
      </div>
    </section>
  )
}

function Record() {
  return (
    <section className="band" aria-labelledby="record-title">
      <div className="wrap halves">
        <div>
          <h2 id="record-title">“Why was this sent, or not?”</h2>
          <p className="lead">
            With one click, see what was decided about every message, when, and what was known at that moment, including
            messages that were never sent.
          </p>
          {'{% if hasDemo %}'}
          <p>
            The picture shows the demo. You can open the same page yourself, abandon a cart in the demo store, and read
            the email a minute later.
          </p>
          {'{% endif %}'}
        </div>
        <Screenshot of="why" />
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
          {'{% if hasDemo %}Abandon a cart, get the email, come back, and see why each step happened.'}
          {
            '{% else %}Connect your store and preview what would be sent. Nothing is sent until you switch it on.{% endif %}'
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
          <a href="/how-we-test">How we test it</a>
          <a href="/terms">Terms</a>
          <a href="/privacy">Privacy</a>
          <a href="/login">Sign in</a>
          <a href="mailto:{{ support }}">Support</a>
        </nav>
      </div>
    </footer>
  )
}
