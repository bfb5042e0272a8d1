"""What no statement describes: fields, plain links and types of a dataset, as quads of its index."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from bfsql_rdf.store.evidence import evidence_nodes
from bfsql_rdf.store.expressions import READ
from bfsql_rdf.store.layout import ALIAS, DISPLAY, INSIDE, PLAIN
from bfsql_rdf.store.lists import read_list
from bfsql_rdf.terms import FIRST, RDF, RDF_TYPE, REIFIES, REST, SKOLEM

if TYPE_CHECKING:
    from bfsql_rdf.store.build import Builder

_STATEMENT_TYPES = frozenset({NamedNode(RDF + "Statement"), NamedNode("http://www.w3.org/2002/07/owl#Axiom")})


class Plain:
    """The triples of a dataset, one predicate after the other; those that spell statements are passed over."""

    def __init__(self, builder: "Builder") -> None:
        self.builder, self.source, self.spine = builder, builder.source, builder.spine
        self.exports, self.expressions = builder.exports, builder.expressions
        self._read = builder.expressions.any
        self._inside = evidence_nodes(builder)
        self._unmarked = set(self._inside)
        self._asserted: set[int] = set()

    def quads(self) -> Iterator[Quad]:
        """Everything that no statement describes."""
        builder, spine = self.builder, self.spine
        structure = {part for style in spine.styles for part in style.structure}
        passed = {REIFIES, *builder.hidden} | {NamedNode(style.status) for style in spine.styles if style.status}
        for predicate in builder.findings.predicates:
            if self.exports and predicate.value in self.exports.roles:
                yield from self.exports.quads(builder, predicate)
            elif predicate in builder.types:
                yield from self._typed(predicate)
            elif predicate not in passed:
                yield from self._triples(predicate, predicate.value in structure, predicate == spine.status)
        if self.exports:
            yield from self.exports.rank(builder)
        builder.figures.unasserted = len(spine.described) - len(self._asserted)

    def _typed(self, predicate: NamedNode) -> Iterator[Quad]:
        statements, stated = self.spine.statements, self.spine.stated_types
        described, consumed = self.spine.described, self.expressions.consumed
        name = self.builder.node(predicate)
        for quad in self.source.match(None, predicate, None):
            subject = self.builder.node(quad.subject)
            stating = hash(subject) in statements
            if type(quad.object) is Literal:
                self.builder.counts(name)[3 if stating else 2] += 1
                yield Quad(subject, name, quad.object)
                continue
            if self.exports:
                own = self.exports.typed(self.builder, subject, quad.object, stating)
                if own is not None:
                    yield from own
                    continue
            if stating:
                if quad.object not in _STATEMENT_TYPES and hash((subject, RDF_TYPE, quad.object)) not in described:
                    self.builder.counts(name)[3] += 1
                    yield Quad(subject, name, self.builder.node(quad.object))
                continue
            if consumed and hash(quad.subject) in consumed:
                continue
            if type(quad.object) is NamedNode and quad.object.value.startswith(SKOLEM):
                yield from self._anonymous(subject, predicate, quad.object)
                continue
            if described:
                key = hash((subject, RDF_TYPE, self.builder.node(quad.object)))
                if key in described:
                    self._asserted.add(key)
            if subject not in stated:
                yield from self._display_once(subject, quad)

    def _anonymous(self, subject: NamedNode, predicate: NamedNode, node: Any) -> Iterator[Quad]:
        """A link to an anonymous class: the edges that it stands for, else the link itself."""
        for name, target in self.builder.stated(subject, predicate, node):
            key = hash((subject, name, target))
            if key in self.spine.described:
                self._asserted.add(key)
                continue
            self.builder.counts(name)[0] += 1
            self.builder.figures.plain_links += 1
            yield Quad(subject, name, target, PLAIN)

    def _triples(self, predicate: NamedNode, structural: bool, status: bool) -> Iterator[Quad]:
        """The triples of one predicate; those that spell statements, or their status, are passed over."""
        spine, cells, inside = self.spine, self.builder.cells, self._inside
        described, statements, reported = spine.described, spine.statements, spine.subjects
        name = self.builder.node(predicate)
        chain = predicate in (FIRST, REST)
        links = fields = inner = 0
        as_is = name == predicate and not self.source.named
        exports, consumed = self.exports, self.expressions.consumed
        plainly = not (statements or inside or cells or spine.merged or exports or self._read)
        simple = as_is and self.builder.same and plainly
        read = self._read and predicate in READ
        object_: Any
        for quad in self.source.match(None, predicate, None):
            if simple:
                object_ = quad.object
                if type(object_) is Literal:
                    fields += 1
                    yield quad
                    continue
                if type(object_) is NamedNode:
                    links += 1
                    yield Quad(quad.subject, name, object_, PLAIN)
                    continue
            raw: Any = quad.subject
            object_ = quad.object
            subject = self.builder.node(raw)
            number = hash(subject)
            stating = number in statements
            if exports and not stating and exports.left_out(raw, predicate.value):
                continue
            if consumed and hash(raw) in consumed:
                continue
            if subject is not raw and subject != raw:
                yield Quad(subject, ALIAS, raw)
            if (structural and (stating or type(object_) is Triple)) or (status and stating):
                continue
            own = stating or number in inside
            if number in self._unmarked:
                self._unmarked.discard(number)
                yield Quad(subject, INSIDE, subject)
            if cells:
                if chain and hash(raw) in cells:
                    continue
                if self.builder.is_list(object_):
                    yield from self._list(subject, name, object_, own)
                    continue
            literal = type(object_) is Literal
            if read and not literal and object_.value.startswith(SKOLEM):
                yield from self._anonymous(subject, predicate, object_)
                continue
            target = object_ if literal else self.builder.node(object_)
            if described and (not own or number in reported):
                key = hash((subject, name, target))
                if key in described:
                    self._asserted.add(key)
                    continue
            if literal or own:
                fields += not own
                inner += own
                yield quad if as_is and subject is raw and target is object_ else Quad(subject, name, target)
            else:
                links += 1
                yield Quad(subject, name, target, PLAIN)
        if links or fields or inner:
            counts = self.builder.counts(name)
            counts[0] += links
            counts[2] += fields
            counts[3] += inner
            self.builder.figures.plain_links += links

    def _display_once(self, subject: NamedNode, quad: Quad) -> Iterator[Quad]:
        """The display type, at the first of a node's type triples by type and predicate."""
        found = [
            (form, other.object, predicate)
            for form in self.builder.raw_forms(subject)
            for predicate in self.builder.types
            for other in self.source.match(form, predicate, None)
            if type(other.object) is not Literal and not str(other.object).startswith(f"<{SKOLEM}")
        ]
        plainly = self.builder.same and not self.spine.merged and not self.spine.described
        if len(found) == 1 and plainly and type(quad.object) is NamedNode:
            shown = quad.object
            self.builder.figures.types[shown.value] = self.builder.figures.types.get(shown.value, 0) + 1
            yield Quad(subject, DISPLAY, shown)
        elif (quad.subject, quad.object, quad.predicate) == min(found, key=str):
            yield from self.builder.display(subject)

    def _list(self, subject: NamedNode, name: NamedNode, head: Any, own: bool) -> Iterator[Quad]:
        counts = self.builder.counts(name)
        values, resources = read_list(self.source, head, self.builder)
        members: list[Any] = list(resources) + ([values] if values is not None else [])
        for member in members:
            key = hash((subject, name, member))
            if key in self.spine.described:
                self._asserted.add(key)
            elif type(member) is Literal:
                counts[3 if own else 2] += 1
                yield Quad(subject, name, member)
            else:
                counts[3 if own else 0] += 1
                self.builder.figures.plain_links += not own
                yield Quad(subject, name, member, None if own else PLAIN)
