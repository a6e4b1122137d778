import { type ReactElement, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { loadOffer, signIn, type SignInResult } from '../../api/session.ts';
import { SubmitButton } from '../../components/frames/submit-button.tsx';
import { login } from '../../messages/login.ts';
import { keepReturnAddress } from '../../navigation/return-address.ts';

/** Signs in with a token, or leads to the OpenID provider; `inNewTab`: so that this page stays. */
export function LoginForm({ inNewTab = false }: { readonly inNewTab?: boolean }): ReactElement {
  const [token, setToken] = useState('');
  const [result, setResult] = useState<SignInResult | 'Empty'>('SignedIn');
  const [isBusy, setBusy] = useState(false);
  const [hasOpenId, setOpenId] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    void loadOffer().then(({ openId }) => setOpenId(openId));
  }, []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const came = token.trim() === '' ? 'Empty' : await signIn(token.trim());
    setResult(came);
    setBusy(false);
    if (came === 'SignedIn') return;
    // What is wrong is typed over.
    field.current?.focus();
    field.current?.select();
  };
  const problem = result === 'SignedIn' ? undefined : login.results[result];
  return (
    <form className="login-form" noValidate onSubmit={(event) => void submit(event)}>
      <label>
        {login.token}
        <input
          ref={field}
          className="field"
          type="password"
          name="token"
          autoComplete="current-password"
          spellCheck={false}
          required
          value={token}
          aria-invalid={result === 'Refused' || result === 'Empty'}
          aria-describedby="login-problem login-hint"
          onChange={({ target }) => setToken(target.value)}
        />
      </label>
      <p id="login-problem" className={problem === undefined ? undefined : 'problem'} role="alert">
        {problem}
      </p>
      <p id="login-hint" className="quiet">
        {login.hint}
      </p>
      <SubmitButton isBusy={isBusy}>{isBusy ? login.busy : login.submit}</SubmitButton>
      {hasOpenId ? <OpenIdLink inNewTab={inNewTab} /> : null}
    </form>
  );
}

function OpenIdLink({ inNewTab }: { readonly inNewTab: boolean }): ReactElement {
  return (
    <>
      <p className="login-or quiet">{login.or}</p>
      <a
        className="button"
        href="/auth/login"
        onClick={inNewTab ? undefined : keepReturnAddress}
        {...(inNewTab ? { target: '_blank', rel: 'noopener' } : {})}
      >
        {login.openId}
      </a>
      {inNewTab ? <p className="quiet">{login.again}</p> : null}
    </>
  );
}
