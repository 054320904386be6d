/** Adds to Swagger UI the stability and deprecation of operations, and exact int64 values. */
export const AnimalStorePlugin = (system) => {
  const { React } = system;
  const h = React.createElement;
  return {
    wrapComponents: {
      OperationSummaryPath: withStability(h, system),
      responseBody: withExactNumbers(h),
      headers: collapsed(h),
    },
    components: { JsonSchema_integer_int64: textField(h) },
    fn: { getSampleSchema: keepTextExamples(system.fn.getSampleSchema) },
  };
};

/** A text field for an int64 in a list, for which Swagger UI has no field. A number field would round. */
const textField = (h) => (props) => h(props.getComponent('JsonSchema_string'), props);

const withStability = (h, { specSelectors }) => {
  // A link inside a button is not focusable, and the button updates the address itself.
  const PlainPath = ({ text }) => h('span', null, text);
  return (Path) => (props) => {
    const { path, method } = props.operationProps.toObject();
    const about = (name) => specSelectors.specJson().getIn(['paths', path, method, name]);
    const stability = about('x-stability');
    const notice = about('x-deprecated-reason');
    return h(
      'span',
      { className: 'marked-path' },
      h(Path, {
        ...props,
        getComponent: (name, ...rest) => (name === 'DeepLink' ? PlainPath : props.getComponent(name, ...rest)),
      }),
      stability && h('span', { className: `stability stability-${stability}` }, stability),
      notice && h('span', { className: 'deprecation-notice' }, notice),
    );
  };
};

/** Collapses the list of response headers, which is long and the same for most responses. */
const collapsed = (h) => (Headers) => (props) =>
  props.headers?.size
    ? h('details', { className: 'response-headers' }, h('summary', null, 'Headers'), h(Headers, props))
    : null;

/** Shows all digits of a response. Swagger UI indents it with JSON.parse, which rounds integers beyond 2^53. */
const withExactNumbers = (h) => (ResponseBody) => (props) => {
  const { content, contentType, getComponent } = props;
  const json = typeof content === 'string' && /json/i.test(contentType) && indentJson(content);
  if (!json) return h(ResponseBody, props);
  const HighlightCode = getComponent('HighlightCode', true);
  const options = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true };
  return h('div', null, h('h5', null, 'Response body'), h(HighlightCode, options, json));
};

/** Shows an example that is already JSON text as it is; see docs.ts. */
const keepTextExamples = (sample) => (schema, contentType, options, example) =>
  typeof example === 'string' && indentJson(example) && /json/i.test(contentType ?? '')
    ? example
    : sample(schema, contentType, options, example);

/** Indents JSON, and keeps all digits of its numbers. Returns null for invalid JSON. */
function indentJson(text) {
  const exactly = (_name, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
  try {
    return JSON.stringify(JSON.parse(text, exactly), null, 2);
  } catch {
    return null;
  }
}
